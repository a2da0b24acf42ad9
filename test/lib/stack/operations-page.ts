import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { everyOption } from '../../../bin/deployer-policy/every-option';
import { withAlarmCount, withAlarmTable } from '../../../bin/documents/alarms';
import { synthesise } from '../synthesised';

const root = join(__dirname, '../../..');
const textOf = (path: string) => readFileSync(join(root, path), 'utf8');
/** Without the spaces and lines by which the formatter aligns a table. */
const unaligned = (markdown: string) => markdown.replaceAll(/(?<=\|) +| +(?=\|)|-(?=-{3})/g, '');

const { resources, byPath } = synthesise({ ...everyOption, edgeRateLimit: '' });
const runbooks = 'docs/runbooks';
const pages = readdirSync(join(root, runbooks)).map((file): [string, string] => [file, textOf(join(runbooks, file))]);
const ofAlarms = pages.filter(([, text]) => text.includes('**Partners suffer:**'));

/** Name of each alarm, with the file that its description names. */
const alarms = Object.entries(byPath('AWS::CloudWatch::Alarm')).map(([path, { Properties }]): [string, string] => [
  basename(path),
  basename(String(Properties['AlarmDescription']).split(' ').at(-1) ?? ''),
]);

test('each alarm has the page that its description names, and each page of an alarm its alarm', () => {
  expect(ofAlarms.map(([file]) => file).sort()).toEqual(alarms.map(([, file]) => file).sort());
});

test.each(alarms)(
  'the page of %s begins with what to run, then says what partners suffer and what to do',
  (name, file) => {
    const form = new RegExp(
      `^# ${name}\\n\\n\`\`\`sh\\n.+?\\n\`\`\`\\n\\n\\*\\*Partners suffer:\\*\\* .+\\n\\*\\*Look for:\\*\\* .+\\n\\*\\*Mend:\\*\\* .+$`,
      's',
    );
    expect(textOf(join(runbooks, file))).toMatch(form);
  },
);

test('the pages of alarms look into log groups and queues of the stack', () => {
  const ids = Object.keys(resources);
  for (const [file, text] of ofAlarms) {
    const prefixes = [...text.matchAll(/\$STACK-(\w+)/g)].map(([, prefix = '']) => prefix);
    const names = [...text.matchAll(/contains\(@, '([A-Z]\w+)'\)/g)].map(([, name = '']) => name);
    const found = [
      ...prefixes.map((prefix) => ids.some((id) => id.startsWith(prefix) && id.includes('Log'))),
      ...names.map((name) => ids.some((id) => id.includes(name) && resources[id]?.Type === 'AWS::SQS::Queue')),
    ];
    expect([file, found]).toEqual([file, found.map(() => true)]);
    if (file !== 'no-capacity.md') expect([file, found.length]).not.toEqual([file, 0]);
  }
});

test('docs/operations.md has the table of all alarms: if it is not up to date, run npm run documents', () => {
  const page = textOf('docs/operations.md');
  expect(unaligned(page)).toBe(unaligned(withAlarmTable(page, resources)));
  for (const [name, file] of alarms) expect(page).toContain(`| [${name}](runbooks/${file})`);
});

test('docs/deploying.md has the numbers of alarms, metrics and filters: if they are not up to date, run npm run documents', () => {
  const page = textOf('docs/deploying.md');
  expect(page).toBe(withAlarmCount(page, synthesise().resources));
});

test('a page without a place for the alarms is refused', () => {
  expect(() => withAlarmTable('# Operations', resources)).toThrow('a page lacks <!-- alarms');
});
