import { newId, newOrganisation, newShareCode } from '../../../data/store/new-id';
import { kinds, organisationOf } from '../../../domain/values/id';

const now = '2026-11-27T10:00:00.000Z';
const many = <Made>(make: () => Made) => Array.from({ length: 1000 }, make);

test.each(kinds)('a new %s belongs to its organisation', (kind) => {
  const organisation = newOrganisation();
  expect(organisationOf(kind, newId(kind, organisation, now))).toBe(organisation);
});

test('identifiers of the same millisecond are unique and sort by creation', () => {
  const made = many(() => newId('job', 'acme0001', now));
  expect(made).toEqual([...new Set(made)].sort());
});

test('a share code contains its organisation and sorts by creation', () => {
  const [earlier, later] = [newShareCode('acme0001', now), newShareCode('acme0001', '2026-11-27T10:00:00.001Z')];
  expect(organisationOf('share', later)).toBe('acme0001');
  expect(earlier < later).toBe(true);
});

test('a share code ends in 26 letters of base32, 130 random bits', () => {
  const secrets = many(
    () => /^share-acme0001-[0-9a-z]{10}([0-9a-hjkmnp-tv-z]{26})$/.exec(newShareCode('acme0001', now))?.[1],
  );
  expect(new Set(secrets).size).toBe(1000);
  expect(secrets).not.toContain(undefined);
  for (let at = 0; at < 26; at++) expect(new Set(secrets.map((secret) => secret?.[at])).size).toBe(32);
});

test('a tag of an organisation is eight letters of base32', () => {
  for (const tag of many(newOrganisation)) expect(tag).toMatch(/^[0-9a-hjkmnp-tv-z]{8}$/);
});
