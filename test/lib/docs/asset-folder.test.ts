import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addBuilt, assetFolder } from '../../../lib/docs/asset-folder';

describe('addBuilt', () => {
  let assembly: string;
  let built: string;
  beforeEach(() => {
    [assembly = '', built = ''] = ['assembly-', 'built-'].map((name) => mkdtempSync(join(tmpdir(), name)));
    writeFileSync(join(built, 'index.html'), 'built');
  });
  afterEach(() => [assembly, built].forEach((folder) => rmSync(folder, { recursive: true })));

  test.each([
    { there: 'nothing', prepare: () => undefined },
    { there: 'what another process added first', prepare: () => addBuilt(assembly, 'a', built) },
    {
      there: 'half of what a killed process of this id copied',
      prepare: () =>
        mkdirSync(join(`${assetFolder(assembly, 'a')}.copying-${process.pid}`, 'half'), { recursive: true }),
    },
  ])('adds the files beside $there, and leaves nothing else', ({ prepare }) => {
    prepare();
    addBuilt(assembly, 'a', built);
    expect(readdirSync(assembly, { recursive: true })).toEqual(['asset.a', join('asset.a', 'index.html')]);
  });

  test('throws when it can add nothing', () => {
    expect(() => addBuilt(join(assembly, 'none'), 'a', join(built, 'none'))).toThrow('ENOENT');
  });
});
