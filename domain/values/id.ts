/**
 * Identifiers have the form `<kind>-<tag>-<unique>`, such as `job-7k2m9qx4-01jd…`. The tag is the organisation's: it gives
 * the partition key, so one read finds an item, and an IoT policy restricts a tenant with one statement.
 */
export const kinds = ['job', 'group', 'device', 'stream', 'share', 'mission', 'command'] as const;
export type Kind = (typeof kinds)[number];

export interface Resource {
  readonly kind: Kind;
  readonly id: string;
}

/** Eight characters of Crockford's base32 in lower case, chosen when an organisation is onboarded. */
export type Organisation = string;

const shape = /^([a-z]+)-([0-9a-z]{8})-([0-9a-zA-Z]{22,64})$/;

/**
 * The organisation that an identifier belongs to.
 * @returns the tag, or undefined when `id` is not an identifier of that kind; no such resource can exist then
 */
export function organisationOf(kind: Kind, id: string): Organisation | undefined {
  const [, ofKind, tag] = shape.exec(id) ?? [];
  return ofKind === kind ? tag : undefined;
}

/** The kind of an identifier; undefined for another text. */
export const kindOf = (id: string): Kind | undefined => kinds.find((kind) => organisationOf(kind, id) !== undefined);

/** The field of an identifier: `deviceGroupId` of a group. */
export const idField = (kind: Kind): string => `${kind === 'group' ? 'deviceGroup' : kind}Id`;

/** The public identifier of an organisation: `org-7k2m9qx4`. */
export const organisationId = (organisation: Organisation) => `org-${organisation}`;

/** The organisation of a public identifier; undefined for another text. */
export const organisationWith = (id: string): Organisation | undefined => /^org-([0-9a-z]{8})$/.exec(id)?.[1];
