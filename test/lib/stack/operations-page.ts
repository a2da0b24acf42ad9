import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { synthesise } from '../synthesised';

const { byPath } = synthesise({
  simulatedFleet: 'true',
  platformTargetArn: 'arn:aws:sqs:eu-west-1:210987654321:heard',
});
const page = readFileSync(join(__dirname, '../../../docs/operations.md'), 'utf8');

/** Alarms in the table of the page, with their thresholds. */
function alarmsOfPage(): [name: string, from: string][] {
  const [, section = ''] = /^## Alarms\n([^]*?)^#/m.exec(page) ?? [];
  return section.split('\n').flatMap((line) => {
    const [, names = '', from = ''] = line.split('|').map((cell) => cell.trim());
    return [...names.matchAll(/`(\w+)`/g)].map(([, name = '']): [string, string] => [name, from]);
  });
}

test('docs/operations.md lists each alarm with its threshold', () => {
  const alarms = Object.entries(byPath('AWS::CloudWatch::Alarm')).map(([path, { Properties }]) => {
    const threshold = Number(Properties['Threshold']);
    const name = path.replace('Observability/Alarms/', '');
    return [name, name.endsWith('Late') ? `${threshold / 1000} s` : String(threshold)];
  });
  expect(alarmsOfPage().sort()).toEqual(alarms.sort());
});
