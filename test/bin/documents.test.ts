import { readFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { execFileSync } from 'node:child_process';
import { withEndpointList } from '../../bin/documents/tables';
import { finalStatesInPython, finalStatesInTypeScript } from '../../bin/documents/final-states';
import { writeDerivedFiles } from '../../bin/documents/derived-files';
import { platformEventSchemas } from '../../contract/documents/platform-schemas';
import documents from '../../docs/deployer-policy.json';

describe('Generated texts', () => {
  const textOf = (path: string) => readFileSync(join(__dirname, '../..', path), 'utf8');
  /** Without the spaces and lines by which the formatter aligns a table. */
  const unaligned = (markdown: string) => markdown.replaceAll(/(?<=\|) +| +(?=\|)|-(?=-{3})/g, '');

  test.each([
    ['clients/typescript/src/resources/final-states.ts', finalStatesInTypeScript],
    ['clients/python/src/drone_mission_client/_resources/final_states.py', finalStatesInPython],
  ])('%s is up to date: if it is not, run npm run documents', (path, generate) => {
    expect(textOf(path)).toBe(generate());
  });

  test('the endpoints in the guides are up to date: if they are not, run npm run documents', () => {
    const guides = textOf('docs/guides/index.md');
    expect(unaligned(guides)).toBe(unaligned(withEndpointList(guides)));
  });

  test('a page without a place for the endpoints is refused', () => {
    expect(() => withEndpointList('# API')).toThrow('docs/guides/index.md lacks <!-- endpoints');
  });
});

test('the files that follow from the documents in git are written under the names that they have had there', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'derived-files-'));
  try {
    await writeDerivedFiles(folder);
    const schemas = Object.entries(platformEventSchemas());
    const names = schemas.map(([type]) => `platform-events/${type}.json`);
    expect(readdirSync(folder, { recursive: true }).sort()).toEqual(
      ['platform-events', ...names, 'postman-collection.json'].sort(),
    );
    for (const [type, schema] of schemas)
      expect(JSON.parse(readFileSync(join(folder, `platform-events/${type}.json`), 'utf8'))).toEqual(schema);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('`npm run deployer-policy` prints one document, or names the known ones', () => {
  const run = (...words: string[]) =>
    execFileSync(process.execPath, ['--require', 'tsx/cjs', 'bin/deployer-policy.ts', ...words], {
      cwd: join(__dirname, '../..'),
      encoding: 'utf8',
      stdio: 'pipe',
    });
  expect(JSON.parse(run('data'))).toEqual(documents.data);
  expect(() => run('date')).toThrow(
    expect.objectContaining({
      status: 2,
      stderr: expect.stringMatching(/^documents are functions, data, front\n/) as string,
    }) as Error,
  );
});
