import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addDocs } from '../../../bin/start/late-docs';
import { assetFolder } from '../../../lib/docs/asset-folder';
import { buildDocs } from '../../../lib/docs/docs-build';
import { docsFiles, docsPages, docsParts } from '../../../lib/docs/docs-files';

jest.mock('../../../lib/docs/docs-build', () => ({ hashOfInputs: () => 'inputs', buildDocs: jest.fn() }));

describe('The docs site of npm start', () => {
  const build = jest.mocked(buildDocs);
  let folder: string;
  let assembly: string;
  let error: jest.SpyInstance;
  const running = new AbortController().signal;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'late-docs-'));
    assembly = join(folder, 'assembly');
    mkdirSync(assembly);
    const pages = docsPages().filter((name) => !/^(openapi|asyncapi)\.json$/.test(name));
    for (const file of ['assets/app.js', ...pages.map((name) => `pages/${name}`)]) {
      mkdirSync(join(folder, 'site', file, '..'), { recursive: true });
      writeFileSync(join(folder, 'site', file), file);
    }
    build.mockReset().mockResolvedValue(join(folder, 'site'));
    error = jest.spyOn(console, 'error').mockReturnValue();
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
    error.mockRestore();
  });

  const folders = docsParts.map((part) => `asset.${docsFiles(part).hash}`).sort();

  test('is added to the assembly, in folders that the template names', async () => {
    await addDocs(assembly, running);
    expect(readdirSync(assembly).sort()).toEqual(folders);
    expect(readFileSync(join(assetFolder(assembly, docsFiles('pages').hash), 'index.html'), 'utf8')).toBe(
      'pages/index.html',
    );
  });

  test('is built once, unless a part of it is missing', async () => {
    await addDocs(assembly, running);
    await addDocs(assembly, running);
    expect(build).toHaveBeenCalledTimes(1);
    rmSync(assetFolder(assembly, docsFiles('assets').hash), { recursive: true });
    await addDocs(assembly, running);
    expect(build).toHaveBeenCalledTimes(2);
    expect(readdirSync(assembly).sort()).toEqual(folders);
  });

  test.each([
    ['can’t be built', new Error('no such file')],
    ['has other pages than the template', undefined],
  ])('prints a line when it %s, and fails', async (_, reason) => {
    if (reason) build.mockRejectedValue(reason);
    else writeFileSync(join(folder, 'site/pages/guides/unknown.html'), '');
    const message = reason?.message ?? 'differ: guides/unknown.html';
    await expect(addDocs(assembly, running)).rejects.toThrow(message);
    expect(error).toHaveBeenCalledWith(expect.stringContaining(message));
  });

  test('prints nothing when the stack ends before', async () => {
    build.mockRejectedValue(new Error('ended'));
    await expect(addDocs(assembly, AbortSignal.abort())).rejects.toThrow('ended');
    expect(error).not.toHaveBeenCalled();
  });
});
