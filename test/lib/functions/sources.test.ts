import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { hashOfSources } from '../../../lib/foundation/source-hash';

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
