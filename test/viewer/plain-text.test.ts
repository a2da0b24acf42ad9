import { plainText } from '../../viewer/plain-text';

describe('The text of others', () => {
  test.each([
    ['Falke 3', 'Falke 3'],
    ['עורב 7 ניצן', 'עורב 7 ניצן'],
    ['a\u202Egpj.exe', 'agpj.exe'],
    ['\u2066Kite\u2069 \u200F7', 'Kite 7'],
    ['line\nline\u2028line\tline', 'line line line line'],
    ['\u0000\u001B[31mred\u009B', '[31mred'],
    ['می\u200Cخواهم', 'می\u200Cخواهم'],
    ['👩\u200D✈️ pilot', '👩\u200D✈️ pilot'],
    ['\u00AD\u200B\uFEFFhidden', 'hidden'],
    [' \u202A\u202C ', ''],
  ])('%j is %j on the page', (text, expected) => expect(plainText(text)).toBe(expected));
});
