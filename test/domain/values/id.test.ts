import { kinds, organisationId, organisationOf } from '../../../domain/values/id';
import { fc } from '../../property-runs';

const unique = '01jd0000000000000000000000';
const letters = (alphabet: string, minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...alphabet.split('')), minLength, maxLength });
const tags = letters('0123456789abcdefghjkmnpqrstvwxyz', 8, 8);
const uniques = letters('0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ', 22, 64);

test('an identifier contains its organisation, which is read only for its own kind', () => {
  fc.assert(
    fc.property(fc.constantFrom(...kinds), fc.constantFrom(...kinds), tags, uniques, (kind, other, tag, rest) => {
      expect(organisationOf(other, `${kind}-${tag}-${rest}`)).toBe(kind === other ? tag : undefined);
    }),
  );
});

test('text that is not an identifier has no organisation', () => {
  fc.assert(fc.property(fc.string(), (text) => expect(organisationOf('job', text)).toBeUndefined()));
});

test.each([
  ['no characters', ''],
  ['only a kind', 'job'],
  ['no unique part', 'job-acme0001-'],
  ['a unique part that could be guessed', 'job-acme0001-0123456789abcdef01234'],
  ['a unique part that is too long', `job-acme0001-${'0'.repeat(65)}`],
  ['a short tag', `job-acme001-${unique}`],
  ['a tag in upper case', `job-ACME0001-${unique}`],
  ['a kind in upper case', `JOB-acme0001-${unique}`],
  ['a trailing line break', `job-acme0001-${unique}\n`],
  ['a leading space', ` job-acme0001-${unique}`],
  ['an MQTT wildcard', `job-acme0001-${unique.slice(1)}+`],
  ['a slash', `job-acme0001/${unique}`],
  ['percent-encoding', `job-acme0001-${unique}%00`],
  ['non-ASCII letters', `job-acme0001-${unique.slice(1)}é`],
  ['a property name of objects', '__proto__'],
])('text with %s is not an identifier', (_, text) => {
  expect(organisationOf('job', text)).toBeUndefined();
});

test('the public identifier of an organisation has the prefix org-', () => {
  expect(organisationId('7k2m9qx4')).toBe('org-7k2m9qx4');
});
