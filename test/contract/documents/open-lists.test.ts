import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { published, schemasIn } from './published';

const guide = readFileSync(join(__dirname, '../../../docs/guides/versioning.md'), 'utf8');
const partners = published.filter(([file]) => /^(openapi|asyncapi)\.json$/.test(file));

/** The schemas of fields that the service sends, by the name of the field. */
const sentFields = (document: unknown) =>
  schemasIn(document)
    .filter(([path]) => path.includes('.properties.') && !/\.(Sample|\w+Request|\w+ReportedDetail)\./.test(path))
    .map(([path, schema]) => [path.replace(/^.*\./, ''), schema] as const);

describe('An open list', () => {
  const open = partners.flatMap(([, document]) => sentFields(document)).filter(([, one]) => 'x-extensible-enum' in one);
  const names = [...new Set(open.map(([name]) => name))].sort();

  test('is named by the guide if the documents have it, and the other way round', () => {
    const [, sentence = ''] = /^- new values of open lists([^;]*);/m.exec(guide) ?? [];
    const named = [...sentence.matchAll(/`([a-z]\w+)`/g)].map(([, name]) => name);
    expect(names).toEqual(named.sort());
    expect(names.length).toBeGreaterThan(2);
  });

  test('is text without a closed list, and has its known values', () => {
    for (const [, schema] of open) {
      expect(schema).toMatchObject({ type: 'string' });
      expect(schema).not.toHaveProperty('enum');
      expect((schema['x-extensible-enum'] as string[]).length).toBeGreaterThan(2);
    }
  });

  test('of an event for the platform is text too', () => {
    const [, rejected] = published.find(([file]) => file.endsWith('report.rejected.json')) ?? [];
    const reasons = sentFields(rejected).filter(([name]) => name === 'reason');
    expect(reasons).toHaveLength(1);
    for (const [, reason] of reasons) expect(reason).not.toHaveProperty('enum');
  });

  test('of what a platform reports stays closed, since the service refuses other values', () => {
    const [, reported] = published.find(([file]) => file.endsWith('control.outcome.reported.json')) ?? [];
    const reasons = schemasIn(reported).filter(([path]) => path.endsWith('.properties.reason'));
    expect(reasons.map(([, { enum: values = [] }]) => values.length)).toEqual([9]);
  });
});
