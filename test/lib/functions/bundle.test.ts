import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endpointTable } from '../../../contract/endpoint-table';
import { bundle } from '../../../lib/functions/bundle';

const entry = 'jobs/create-job';
const folder = mkdtempSync(join(tmpdir(), 'bundle-'));
const { inputs } = bundle([entry], folder);
const read = () => readFileSync(join(folder, entry, 'index.js'), 'utf8');

afterAll(() => rmSync(folder, { recursive: true }));

test('a bundle contains the SDK and loads only modules of Node.js', () => {
  const loaded = [...read().matchAll(/\brequire\("([^"]+)"\)/g)].map(([, name]) => name);
  expect(loaded).toContain('node:https');
  expect(loaded.filter((name) => name?.startsWith('@') || name?.includes('sdk'))).toEqual([]);
});

test('credentials come from the environment, without the SDK’s provider chain', () => {
  expect(Object.keys(inputs)).toContain('lib/functions/bundled/environment-credentials.ts');
  const providerChain =
    /credential-provider-(node|ini|sso|http|process|web-identity|imds|login)|nested-clients|token-providers/;
  expect(Object.keys(inputs).filter((path) => providerChain.test(path))).toEqual([]);
});

test('endpoint caches, which no function needs, are left out', () => {
  expect(Object.keys(inputs)).toContain('lib/functions/bundled/no-endpoint-discovery.ts');
  expect(Object.keys(inputs).filter((path) => /endpoint-cache|mnemonist/.test(path))).toEqual([]);
});

test('a bundle has no package.json of the SDK’s clients', () => {
  expect(Object.keys(inputs).filter((path) => path.endsWith('package.json'))).not.toEqual([]);
  expect(read()).not.toMatch(/devDependencies/);
});

test('a bundle loads modules by require alone', () => {
  expect(read()).toContain('require("node:http")');
  expect(read()).not.toMatch(/\bimport\(/);
});

test('the text of a bundle is ASCII, which V8 keeps with one byte for each character', () => {
  expect(endpointTable['POST /v3/jobs/create'].description).toMatch(/[^\0-\x7f]/);
  expect(read()).not.toMatch(/[^\0-\x7f]/);
});

test('the same source results in the same bundle, so that unchanged code keeps its asset', () => {
  const first = read();
  bundle([entry, 'jobs/get-job'], folder);
  expect(read()).toBe(first);
});

test('a missing file stops synthesis with an error that names it', () => {
  expect(() => bundle(['jobs/nowhere'], folder)).toThrow('jobs/nowhere.lambda.ts');
});
