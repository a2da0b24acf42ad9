import fc from 'fast-check';
import { kinds, organisationId, organisationOf } from '../../domain/id';

const unique = '01jd0000000000000000000000';
const letters = (alphabet: string, minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...alphabet.split('')), minLength, maxLength });
const tags = letters('0123456789abcdefghjkmnpqrstvwxyz', 8, 8);
const uniques = letters('0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ', 22, 64);

test('An identifier tells the organisation that it belongs to, and only for its own kind.', () => {
  fc.assert(
    fc.property(fc.constantFrom(...kinds), fc.constantFrom(...kinds), tags, uniques, (kind, other, tag, rest) => {
      expect(organisationOf(other, `${kind}-${tag}-${rest}`)).toBe(kind === other ? tag : undefined);
    }),
  );
});

test('Text that is no identifier belongs to nobody.', () => {
  fc.assert(fc.property(fc.string(), (text) => expect(organisationOf('job', text)).toBeUndefined()));
});

test.each([
  ['nothing', ''],
  ['a kind alone', 'job'],
  ['no unique part', 'job-acme0001-'],
  ['a unique part that could be guessed', 'job-acme0001-0123456789abcdef01234'],
  ['a unique part that is too long', `job-acme0001-${'0'.repeat(65)}`],
  ['a short tag', `job-acme001-${unique}`],
  ['a tag in upper case', `job-ACME0001-${unique}`],
  ['a kind in upper case', `JOB-acme0001-${unique}`],
  ['a line break at its end', `job-acme0001-${unique}\n`],
  ['a blank before it', ` job-acme0001-${unique}`],
  ['a wildcard of MQTT', `job-acme0001-${unique.slice(1)}+`],
  ['a slash', `job-acme0001/${unique}`],
  ['percent-encoding', `job-acme0001-${unique}%00`],
  ['letters beyond ASCII', `job-acme0001-${unique.slice(1)}é`],
  ['the key of an object', '__proto__'],
])('What has %s is no identifier.', (_, text) => {
  expect(organisationOf('job', text)).toBeUndefined();
});

test('To the outside an organisation is named with a prefix.', () => {
  expect(organisationId('7k2m9qx4')).toBe('org-7k2m9qx4');
});
