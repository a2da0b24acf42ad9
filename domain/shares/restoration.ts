/**
 * What a restore puts back from a copy of a table, made at an earlier time: what somebody wrote, never how far things
 * had come. Since the copy jobs were flown, and shares revoked: a restore that undid this would fly a cancelled job. It
 * is in this room since the rooms of all other tables are to its left.
 */
import type { Partner } from '../access/partner';
import { fleetAttributes, fleetAttributesOf } from '../fleet/restored-attributes';
import type { Job } from '../jobs/job';
import { isFinal, type JobStatus } from '../jobs/job-lifecycle';
import type { StoredMission } from '../missions/mission-record';
import type { FlightTimes } from '../telemetry/flight-record';
import type { FollowedUntil } from '../telemetry/followed-until';
import type { Share } from './share';

/** The attributes of a stored item, by name. */
export type StoredItem = Readonly<Record<string, unknown>>;

/**
 * What a restore does with an attribute. `written`: a partner, the platform or the operator wrote it, so it is put
 * back. `progress`: it tells how far an item has come, and is put back only for one that is named. `kept`: it stays as
 * it is.
 */
type Class = 'written' | 'progress' | 'kept';

/** Every field has a class: one that nobody has thought of is a type error. */
type Classes<Field extends string> = Readonly<Record<Field, Class>>;

const job: Classes<keyof Job | keyof FlightTimes | keyof FollowedUntil> = {
  name: 'written',
  description: 'written',
  missionId: 'written',
  missionVersion: 'written',
  deviceGroupId: 'written',
  priority: 'written',
  scheduledAt: 'written',
  desiredLocation: 'written',
  actionOnArrival: 'written',
  flight: 'written',
  metadata: 'written',
  status: 'progress',
  reason: 'progress',
  reasonText: 'progress',
  commandId: 'progress',
  deviceId: 'progress',
  plannedFlight: 'progress',
  progress: 'progress',
  startedAt: 'progress',
  endedAt: 'progress',
  cancelledAt: 'progress',
  jobId: 'kept',
  version: 'kept',
  createdAt: 'kept',
  updatedAt: 'kept',
  // It is stored in `reported`.
  reportedAt: 'kept',
  socketsUntil: 'kept',
  topicUntil: 'kept',
};

const share: Classes<keyof Share | keyof FollowedUntil> = {
  resourceId: 'written',
  deviceId: 'written',
  shareType: 'written',
  permissions: 'written',
  commands: 'written',
  maxViewers: 'written',
  metadata: 'written',
  expiresAt: 'written',
  shareCode: 'kept',
  currentViewers: 'kept',
  version: 'kept',
  createdAt: 'kept',
  expired: 'kept',
  revokedAt: 'kept',
  socketsUntil: 'kept',
  topicUntil: 'kept',
};

const partner: Classes<keyof Partner> = {
  name: 'written',
  scopes: 'written',
  limits: 'written',
  clientId: 'kept',
  organisation: 'kept',
  // Whoever lost access gets it back only by `resume`.
  apiKeyId: 'kept',
  newApiKeyId: 'kept',
  status: 'kept',
  tokensFrom: 'kept',
  createdAt: 'kept',
};

const mission: Classes<keyof StoredMission> = {
  name: 'written',
  format: 'written',
  heightReference: 'written',
  waypointCount: 'written',
  length: 'written',
  start: 'written',
  version: 'written',
  updatedAt: 'written',
  missionId: 'kept',
  createdAt: 'kept',
  flown: 'kept',
};

interface Rule {
  /** Every attribute, also those that only the storage knows. */
  readonly attributes: Classes<string>;
  /** The state of an item to which nothing more happens; undefined while it is open. */
  readonly endOf: (item: StoredItem, at: string) => string | undefined;
  /** What a restored item gets besides; null removes the attribute. */
  readonly marks: (at: string) => StoredItem;
  /** What an item that was deleted begins with again. @param tombstone what is left of it */
  readonly again: (copy: StoredItem, tombstone: StoredItem | undefined) => StoredItem;
  /** Nobody changes or deletes these items, so a missing one was lost: it is put back without being named. */
  readonly isRecord?: true;
}

/** Ends after which there is nothing to put back. */
const GONE = 'deleted';
const EXPIRED = 'EXPIRED';

const counted = (at: string) => ({ restoredAt: at });

const rules = {
  jobs: {
    attributes: {
      ...job,
      organisationStatus: 'progress',
      reported: 'progress',
      organisation: 'kept',
      createdBy: 'kept',
      changeId: 'kept',
      changedBy: 'kept',
      followedAt: 'kept',
      publishedAgain: 'kept',
      restoredAt: 'kept',
    },
    endOf: ({ status }) => (isFinal(status as JobStatus) ? String(status) : undefined),
    // The platform hears of what it did not report.
    marks: (at) => ({ ...counted(at), updatedAt: at, changeId: `restore/${at}`, changedBy: null }),
    again: () => ({}),
  },
  shares: {
    attributes: {
      ...share,
      ttl: 'written',
      organisation: 'kept',
      createdBy: 'kept',
      viewerCount: 'kept',
      followedAt: 'kept',
      publishedAgain: 'kept',
      restoredAt: 'kept',
    },
    endOf: ({ revokedAt, expiresAt }, at) =>
      revokedAt !== undefined ? GONE : String(expiresAt) <= at ? EXPIRED : undefined,
    marks: counted,
    again: () => ({ currentViewers: 0 }),
  },
  fleet: {
    attributes: Object.fromEntries(
      Object.entries(fleetAttributes).map(([name, kind]) => [name, kind === 'registered' ? 'written' : 'kept']),
    ),
    endOf: ({ kind }) => (kind === 'removed' ? GONE : undefined),
    marks: counted,
    // It is online again when it reports; and what the platform said before the removal stays late.
    again: ({ kind, eventTime }, tombstone) => ({
      ...Object.fromEntries(fleetAttributesOf('reported').map((name) => [name, null])),
      ...(kind === 'device' && { status: 'offline' }),
      ttl: null,
      eventTime: tombstone?.['eventTime'] ?? eventTime,
    }),
  },
  partners: {
    attributes: partner,
    endOf: () => undefined,
    marks: () => ({}),
    again: () => ({ status: 'suspended' }),
  },
  missions: {
    // A line is an item of its own, with when it expires.
    attributes: { ...mission, line: 'written', ttl: 'written', organisation: 'kept', callId: 'kept', report: 'kept' },
    endOf: () => undefined,
    // Jobs since the copy may fly the version: it is kept for good, as one of which nobody knows.
    marks: () => ({ flown: null }),
    again: () => ({ ttl: null }),
  },
  flights: {
    attributes: {},
    endOf: ({ ttl }, at) => (Number(ttl) * 1000 <= Date.parse(at) ? EXPIRED : undefined),
    marks: () => ({}),
    again: () => ({}),
    isRecord: true,
  },
} as const satisfies Readonly<Record<string, Rule>>;

export type RestorableTable = keyof typeof rules;

/** The tables that can be restored. */
export const restorableTables = Object.keys(rules) as readonly RestorableTable[];

/** The attributes of a table's items, all or those of a class; of records it is of no interest which they have. */
export const attributesOf = (table: RestorableTable, only?: Class): string[] =>
  Object.entries(rules[table].attributes).flatMap(([name, of]) => (only === undefined || of === only ? [name] : []));

/** Whether the items of a table are records, which are put back as they were. */
export const isRecord = (table: RestorableTable): boolean => 'isRecord' in rules[table];

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
export function decideRestoration(
  table: RestorableTable,
  { copy, current, isNamed, at, differs }: RestoreInput,
): Restoration {
  const { endOf, again }: Rule = rules[table];
  const endThen = endOf(copy, at);
  if (endThen === GONE || endThen === EXPIRED) return { kind: 'same' };
  const end = current && endOf(current, at);
  if (!current || end === GONE)
    return isNamed || isRecord(table)
      ? { kind: 'again', again: again(copy, current) }
      : { kind: 'kept', because: GONE };
  const [written, progress] = [attributesOf(table, 'written'), attributesOf(table, 'progress')];
  const [words, course] = [written.filter(differs), progress.filter(differs)];
  if (end !== undefined && !isNamed && words.length + course.length > 0) return { kind: 'kept', because: end };
  const names = isNamed ? [...words, ...course] : words;
  return names.length === 0 ? { kind: 'same' } : { kind: 'changed', names, seen: [...written, ...progress] };
}

/** What a restored item of a table gets besides, by name; null removes the attribute. @param at ISO 8601 */
export const restoreMarks = (table: RestorableTable, at: string): StoredItem => rules[table].marks(at);

/** Whether followers count the changes of a table's items. */
export const hasVersions = (table: RestorableTable): boolean => Object.hasOwn(restoreMarks(table, ''), 'restoredAt');

/**
 * The version of an item that is put back: above any that was.
 * @param known those that are known, of the item and of its messages
 */
export const nextVersion = (known: readonly unknown[]): number =>
  Math.max(0, ...known.map((version) => Number(version ?? 0))) + 1;
