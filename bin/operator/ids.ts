import { kinds, organisationOf, type Kind, type Organisation } from '../../domain/values/id';
import { UsageError } from '../command-line/usage-error';
import type { Flags } from './command-line';

/** An identifier and the organisation in it. */
export interface KnownId {
  readonly id: string;
  readonly organisation: Organisation;
}

/**
 * Reads the identifier of a resource.
 * @throws UsageError for one of another form or kind; it is not repeated, since it may be a share code or a secret
 */
export function readId({ id }: Flags, kind: Kind): KnownId {
  const given = expectGiven(id, kind);
  const organisation = organisationOf(kind, given);
  if (organisation !== undefined) return { id: given, organisation };
  throw new UsageError(
    wrongKind(given, kind) ?? `that is no id of a ${kind}: one begins with ${kind}- and has 36 characters or more`,
  );
}

/** Reads a share code or the digest of one. @throws UsageError for another form */
export function readShareId({ id }: Flags): string {
  const given = expectGiven(id, 'share');
  if (/^[0-9a-f]{32}$/.test(given) || organisationOf('share', given) !== undefined) return given;
  throw new UsageError(
    wrongKind(given, 'share') ?? 'that is neither a share code nor the digest of one, 32 digits and letters a to f',
  );
}

/** Reads the id of a client. @throws UsageError without one, and for the id of a resource */
export function readClientId({ id }: Flags): string {
  const given = expectGiven(id, 'client');
  const wrong = wrongKind(given, 'client');
  if (wrong !== undefined) throw new UsageError(wrong);
  return given;
}

function expectGiven(id: string | undefined, kind: string): string {
  if (id === undefined) throw new UsageError(`needs the id of a ${kind}; --help has an example`);
  return id;
}

const shown = ['job', 'share', 'device'];

function wrongKind(id: string, kind: string): string | undefined {
  const other = kinds.find((each) => each !== kind && organisationOf(each, id) !== undefined);
  if (other === undefined) return undefined;
  const hint = shown.includes(other) ? `: \`operator -- ${other}\` shows it` : '';
  return `that is the id of a ${other}, not of a ${kind}${hint}`;
}
