import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { synthesise } from '../synthesised';

const { byPath } = synthesise({ simulatedFleet: 'true' });
const page = readFileSync(join(__dirname, '../../../docs/operations.md'), 'utf8');

/** Alarms of the table, with the number from which each fires. */
function alarmsOfPage(): [name: string, from: string][] {
  const [, section = ''] = /^## Alarms\n([^]*?)^#/m.exec(page) ?? [];
  return section.split('\n').flatMap((line) => {
    const [, names = '', from = ''] = line.split('|').map((cell) => cell.trim());
    return [...names.matchAll(/`(\w+)`/g)].map(([, name = '']): [string, string] => [name, from]);
  });
}

test('docs/operations.md says of each alarm what to do, and from where on it fires', () => {
  const alarms = Object.entries(byPath('AWS::CloudWatch::Alarm')).map(([place, { Properties }]) => {
    const threshold = Number(Properties['Threshold']);
    const name = place.replace('Alarms/', '');
    if (Properties['MetricName'] === 'IteratorAge') return [name, `${threshold / 1000} s`];
    return [name, name === 'RetainedMessages' ? `${threshold} %` : String(threshold)];
  });
  expect(alarmsOfPage().sort()).toEqual(alarms.sort());
});
