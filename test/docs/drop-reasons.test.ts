import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { dropReasons, MOST_TOLD } from '../../contract/platform/platform';

const page = readFileSync(join(__dirname, '../../docs/platform.md'), 'utf8');

test('docs/platform.md has each reason why an event is dropped, what it says, and whether the platform is told', () => {
  const [, table = ''] = /^(\| `reason`[^]*?)\n\n/m.exec(page) ?? [];
  const rows = table
    .split('\n')
    .slice(2)
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .map(([, reason, says, told]) => [reason, says, told?.startsWith('yes')]);
  expect(rows).toEqual(Object.entries(dropReasons).map(([name, { says, isTold }]) => [`\`${name}\``, says, isTold]));
});

test('docs/platform.md has the limit of report.rejected', () => {
  expect(page.replaceAll(/\s+/g, ' ')).toContain(`At most ${MOST_TOLD} \`report.rejected\` are sent in a minute`);
});
