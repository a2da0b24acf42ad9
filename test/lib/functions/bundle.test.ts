import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundle } from '../../../lib/functions/bundle';

const entry = 'http/jobs/create-job';
const folder = mkdtempSync(join(tmpdir(), 'bundle-'));
const { inputs } = bundle([entry], folder);
const read = () => readFileSync(join(folder, entry, 'index.js'), 'utf8');

afterAll(() => rmSync(folder, { recursive: true }));

test('The SDK is inside the bundle: it loads nothing but what Node.js has', () => {
  const loaded = [...read().matchAll(/\brequire\("([^"]+)"\)/g)].map(([, name]) => name);
  expect(loaded).toContain('node:https');
  expect(loaded.filter((name) => name?.startsWith('@') || name?.includes('sdk'))).toEqual([]);
});

test('Credentials come from the environment, without the search for them', () => {
  expect(Object.keys(inputs)).toContain('lib/functions/bundled/environment-credentials.ts');
  const searching =
    /credential-provider-(node|ini|sso|http|process|web-identity|imds|login)|nested-clients|token-providers/;
  expect(Object.keys(inputs).filter((path) => searching.test(path))).toEqual([]);
});

test('Caches of endpoints and streams of the web, which no function needs, stay out', () => {
  expect(Object.keys(inputs)).toEqual(
    expect.arrayContaining([
      'lib/functions/bundled/no-endpoint-discovery.ts',
      'lib/functions/bundled/no-web-streams.ts',
    ]),
  );
  expect(Object.keys(inputs).filter((path) => /endpoint-cache|mnemonist/.test(path))).toEqual([]);
  expect(read()).not.toContain('stream/web');
});

test('The same source makes the same bundle, so that unchanged code keeps its asset', () => {
  const first = read();
  bundle([entry, 'http/jobs/get-job'], folder);
  expect(read()).toBe(first);
});

test('A function without a file stops the synthesis, by name', () => {
  expect(() => bundle(['http/jobs/nowhere'], folder)).toThrow('http/jobs/nowhere.ts');
});
