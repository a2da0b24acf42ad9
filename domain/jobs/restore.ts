/**
 * What a restore puts back from a copy of a table, made at an earlier time: what somebody wrote, never how far things had come. Since
 * the copy jobs were flown, and shares revoked: a restore that undid this would fly a cancelled job.
 */
import { isFinal, type JobStatus } from './job-lifecycle';

/** The attributes of a stored item, by name. */
export type StoredItem = Readonly<Record<string, unknown>>;

interface Rule {
  /** Attributes that a partner, the platform or the operator wrote: they are put back. */
  readonly written: readonly string[];
  /** Attributes that tell how far an item has come: they are put back only for one that is named. */
  readonly progress: readonly string[];
  /** The state of an item to which nothing more happens; undefined while it is open. */
  readonly endOf: (item: StoredItem, at: string) => string | undefined;
  /** What a restored item gets besides; null removes the attribute. */
  readonly marks: (at: string) => StoredItem;
  /** What an item that was deleted begins with again. @param tombstone what is left of it */
  readonly again: (copy: StoredItem, tombstone: StoredItem | undefined) => StoredItem;
  /** Nobody deletes these items, so a missing one was lost: it is put back without being named. */
  readonly isRecord?: true;
}

/** Ends after which there is nothing to put back. */
const GONE = 'deleted';
const EXPIRED = 'EXPIRED';

const counted = (at: string) => ({ restoredAt: at });

const rules = {
  jobs: {
    written: [
      'name',
      'description',
      'missionId',
      'missionVersion',
      'deviceGroupId',
      'priority',
      'scheduledAt',
      'desiredLocation',
      'actionOnArrival',
      'flight',
      'metadata',
    ],
    progress: [
      'status',
      'organisationStatus',
      'reported',
      'reason',
      'reasonText',
      'commandId',
      'deviceId',
      'plannedFlight',
      'progress',
      'startedAt',
      'endedAt',
      'cancelledAt',
    ],
    endOf: ({ status }) => (isFinal(status as JobStatus) ? String(status) : undefined),
    // The platform hears of what it did not report.
    marks: (at) => ({ ...counted(at), updatedAt: at, changeId: `restore/${at}`, changedBy: null }),
    again: () => ({}),
  },
  shares: {
    written: ['resourceId', 'deviceId', 'shareType', 'permissions', 'maxViewers', 'metadata', 'expiresAt', 'ttl'],
    progress: [],
    endOf: ({ revokedAt, expiresAt }, at) =>
      revokedAt !== undefined ? GONE : String(expiresAt) <= at ? EXPIRED : undefined,
    marks: counted,
    again: () => ({ currentViewers: 0 }),
  },
  fleet: {
    written: ['name', 'description', 'deviceGroupId', 'deviceId', 'streamId', 'videoStream', 'capabilities'],
    progress: [],
    endOf: ({ kind }) => (kind === 'removed' ? GONE : undefined),
    marks: counted,
    // It is online again when it reports; and what the platform said before the removal stays late.
    again: ({ kind, eventTime }, tombstone) => ({
      ...(kind === 'device' && { status: 'offline' }),
      presentIn: null,
      standsIn: null,
      standsAt: null,
      lastState: null,
      stateAt: null,
      takeOff: null,
      ttl: null,
      eventTime: tombstone?.['eventTime'] ?? eventTime,
    }),
  },
  partners: {
    // Whoever lost access gets it back only by `resume`.
    written: ['name', 'scopes', 'limits'],
    progress: [],
    endOf: () => undefined,
    marks: () => ({}),
    again: () => ({ status: 'suspended' }),
  },
  missions: {
    written: [
      'name',
      'format',
      'heightReference',
      'waypointCount',
      'length',
      'start',
      'version',
      'updatedAt',
      'line',
      'ttl',
    ],
    progress: [],
    endOf: () => undefined,
    // Jobs since the copy may fly the version: it is kept for good, as one of which nobody knows.
    marks: () => ({ flown: null }),
    again: () => ({ ttl: null }),
  },
  flights: {
    written: [],
    progress: [],
    endOf: ({ ttl }, at) => (Number(ttl) * 1000 <= Date.parse(at) ? EXPIRED : undefined),
    marks: () => ({}),
    again: () => ({}),
    isRecord: true,
  },
} as const satisfies Readonly<Record<string, Rule>>;

export type RestorableTable = keyof typeof rules;

/** The tables that can be restored. */
export const restorableTables = Object.keys(rules) as readonly RestorableTable[];

/** What a restore does with an item. */
export type Restoration =
  /** Nothing: it has all that was written. */
  | { readonly kind: 'same' }
  /** Nothing, since it has ended: `because` is its state. */
  | { readonly kind: 'kept'; readonly because: string }
  /** It gets these attributes of the copy, if the attributes `seen` are still as they were. */
  | { readonly kind: 'changed'; readonly names: readonly string[]; readonly seen: readonly string[] }
  /** It is put back whole, with `again` in place of attributes of the copy; null: without. */
  | { readonly kind: 'again'; readonly again: StoredItem };

export interface RestoreInput {
  /** The item in the copy. */
  readonly copy: StoredItem;
  /** The item as it is; undefined when there is none. */
  readonly current: StoredItem | undefined;
  /** Whether the operator asks for it by name. */
  readonly isNamed: boolean;
  /** Time of the restore, ISO 8601. */
  readonly at: string;
  /** Whether an attribute has another value in the copy than in the item as it is. */
  readonly differs: (name: string) => boolean;
}

/** Decides what a restore does with an item of a table. */
export function restorationOf(
  table: RestorableTable,
  { copy, current, isNamed, at, differs }: RestoreInput,
): Restoration {
  const { written, progress, endOf, again, isRecord }: Rule = rules[table];
  const endThen = endOf(copy, at);
  if (endThen === GONE || endThen === EXPIRED) return { kind: 'same' };
  const end = current && endOf(current, at);
  if (!current || end === GONE)
    return isNamed || isRecord ? { kind: 'again', again: again(copy, current) } : { kind: 'kept', because: GONE };
  const [words, course] = [written.filter(differs), progress.filter(differs)];
  if (end !== undefined && !isNamed && words.length + course.length > 0) return { kind: 'kept', because: end };
  const names = isNamed ? [...words, ...course] : words;
  return names.length === 0 ? { kind: 'same' } : { kind: 'changed', names, seen: [...written, ...progress] };
}

/** What a restored item of a table gets besides, by name; null removes the attribute. @param at ISO 8601 */
export const restoreMarks = (table: RestorableTable, at: string): StoredItem => rules[table].marks(at);

/** Whether followers count the changes of a table's items. */
export const hasVersions = (table: RestorableTable): boolean => Object.hasOwn(restoreMarks(table, ''), 'restoredAt');

/** The version of an item that is put back: above any that was. @param known those that are known, of the item and of its messages */
export const nextVersion = (known: readonly unknown[]): number =>
  Math.max(0, ...known.map((version) => Number(version ?? 0))) + 1;
