import { mkdtempSync, readFileSync, rmSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, dirname } from 'node:path';
import { endpointTable } from '../../../contract/endpoint-table';
import { bundle } from '../../../lib/functions/bundle';
import { hashOfSources } from '../../../lib/foundation/source-hash';

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

describe('The hash of the sources of functions', () => {
  let project: string;
  const write = (name: string, text = '') => {
    mkdirSync(dirname(join(project, name)), { recursive: true });
    writeFileSync(join(project, name), text);
  };
  beforeEach(() => {
    project = mkdtempSync(join(tmpdir(), 'sources-'));
    for (const folder of ['contract', 'data/jobs', 'domain', 'lambdas', 'packages/simulator', 'lib/functions/bundled'])
      write(`${folder}/one.ts`, folder);
    write('lib/functions/bundle.ts');
    write('package-lock.json', '{}');
    write('README.md');
  });
  afterEach(() => rmSync(project, { recursive: true }));

  test.each<[change: string, make: () => void]>([
    ['a change of a file', () => write('data/jobs/one.ts', 'changed')],
    ['a file more', () => write('data/jobs/two.ts')],
    ['another name', () => renameSync(join(project, 'domain/one.ts'), join(project, 'domain/two.ts'))],
    ['other packages', () => write('package-lock.json', '{ "packages": {} }')],
    ['how they are bundled', () => write('lib/functions/bundle.ts', 'changed')],
  ])('is another one after %s', (_, make) => {
    const before = hashOfSources(project);
    make();
    expect(hashOfSources(project)).not.toBe(before);
  });

  test.each<[what: string, make: () => void]>([
    ['a file that is no source', () => write('README.md', 'changed')],
    ['a link of Emacs to nowhere', () => symlinkSync('nobody@nowhere', join(project, 'domain/.#one.ts'))],
    ['what Emacs keeps', () => write('domain/#one.ts#')],
    ['a backup', () => write('domain/one.ts~')],
    ['a swap file of Vim', () => write('domain/.one.ts.swp')],
    ['what macOS puts into folders', () => write('domain/.DS_Store')],
  ])('is the same with %s', (_, make) => {
    const before = hashOfSources(project);
    make();
    expect(hashOfSources(project)).toBe(before);
  });

  test('is that of this project by default', () => {
    expect(hashOfSources()).toBe(hashOfSources(join(__dirname, '../../..')));
  });
});
