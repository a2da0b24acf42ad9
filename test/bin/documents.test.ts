import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { withEndpointList } from '../../bin/documents/tables';
import { finalStatesInPython, finalStatesInTypeScript } from '../../bin/documents/final-states';

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
