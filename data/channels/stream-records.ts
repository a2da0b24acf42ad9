import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { $ZodError } from 'zod/v4/core';
import type { Organisation } from '../../domain/values/id';
import type { Change } from '../../domain/channels/status-event';
import { commandFromItem, type CommandKey } from '../commands/commands';
import { deviceFromItem } from '../fleet/devices';
import { changeIdToEvent } from '../jobs/change-id';
import { jobFromItem } from '../jobs/jobs';
import { shareFromItem } from '../shares/shares';

/** The fields of a DynamoDB stream record that are used. */
export interface StreamRecord {
  readonly eventSourceARN?: string;
  /** Set when DynamoDB deleted the item because its TTL had expired. */
  readonly userIdentity?: { readonly principalId?: string };
  readonly dynamodb?: {
    readonly Keys?: Record<string, unknown>;
    readonly OldImage?: Record<string, unknown>;
    readonly NewImage?: Record<string, unknown>;
    /** Unix seconds. */
    readonly ApproximateCreationDateTime?: number;
    readonly SequenceNumber?: string;
  };
}

/** What a function of a stream is called with. */
export interface StreamRecords {
  readonly Records: readonly StreamRecord[];
}

/** Lambda's type of an image and the SDK's differ only in name. */
const plain = (image: Record<string, unknown> | undefined) =>
  image && unmarshall(image as Record<string, AttributeValue>);

/** A record with an item that can never be parsed, so a retry is useless. */
export class UnreadableRecord extends Error {
  override readonly name = 'UnreadableRecord';
}

/** Whether a record fails for good: its item can't be parsed, or one that is read for it can't. */
export const isUnreadable = (error: unknown): boolean =>
  error instanceof UnreadableRecord || error instanceof $ZodError;

/**
 * The change in a record of the jobs, commands, shares or fleet stream; the key shows which table it comes from.
 * @returns undefined for items without a channel, such as device groups
 * @throws UnreadableRecord for an item that this service never wrote
 */
export function parseChange(record: StreamRecord): Change | undefined {
  try {
    return readChange(record);
  } catch (cause) {
    throw new UnreadableRecord('a stream record holds an item that cannot be parsed', { cause });
  }
}

/**
 * The command that a record of the commands stream creates or changes; undefined for one that is deleted, and for
 * another table. Its item is not parsed: whoever acts on a command reads it as it is now.
 */
export function changedCommand({ dynamodb }: StreamRecord): CommandKey | undefined {
  const { Keys, NewImage } = dynamodb ?? {};
  const [deviceId, commandId] = [valueOf(Keys?.['deviceId']), valueOf(Keys?.['commandId'])];
  return NewImage && deviceId !== undefined && commandId !== undefined ? { deviceId, commandId } : undefined;
}

function readChange({ dynamodb, userIdentity }: StreamRecord): Change | undefined {
  const keys = dynamodb?.Keys ?? {};
  const [before, after] = [plain(dynamodb?.OldImage), plain(dynamodb?.NewImage)];
  const restored = after && after['restoredAt'] !== before?.['restoredAt'] && { isRestored: true as const };
  if ('jobId' in keys) {
    const stored = jobFromItem(after);
    const known = { before: jobFromItem(before)?.job, after: stored?.job, changedBy: stored?.changedBy };
    return { kind: 'job', ...known, ...restored };
  }
  if ('commandId' in keys) {
    const [known, changed] = [commandFromItem(before), commandFromItem(after)];
    const shareCode = (changed ?? known)?.shareCode;
    return { kind: 'command', before: known?.command, after: changed?.command, shareCode };
  }
  if ('shareCode' in keys) {
    const share = shareFromItem(before);
    const ended = share && { ...share, ...expiredByTtl(userIdentity) };
    return { kind: 'share', before: ended, after: shareFromItem(after), ...restored };
  }
  if (!('id' in keys)) throw new Error('a stream record of a table that has no channel');
  const change = { before: deviceFromItem(before), after: deviceFromItem(after) };
  return change.before || change.after ? { kind: 'device', ...change } : undefined;
}

/** DynamoDB developer guide, "DynamoDB Streams and Time to Live". */
const expiredByTtl = (userIdentity: StreamRecord['userIdentity']) =>
  userIdentity?.principalId === 'dynamodb.amazonaws.com' && { expired: true as const };

/** Who may be subscribed to the topic of a job or a share. */
export interface TopicSubscribers {
  readonly organisation: Organisation;
  /** Until when, Unix seconds; undefined when nobody ever was. */
  readonly until: number | undefined;
  /** It was this write that noted it, so somebody may have subscribed who knows no state yet; or the topic lacks its state. */
  readonly isNew: boolean;
  /** How often AWS IoT has refused to retain the state since. */
  readonly attempt: number;
}

/** The value of an attribute of DynamoDB, undefined without the attribute. */
const valueOf = (attribute: unknown): string | undefined => {
  const { S, N } = (attribute ?? {}) as { readonly S?: string; readonly N?: string };
  return S ?? N;
};

/** Unix seconds. */
const topicUntilOf = (image: Record<string, unknown> | undefined): number | undefined => {
  const until = valueOf(image?.['topicUntil']);
  return until === undefined ? undefined : Number(until);
};

/** The subscribers after the change in a record of the jobs or shares stream, or before a deletion. */
export function parseTopicSubscribers({ dynamodb }: StreamRecord): TopicSubscribers {
  const { Keys, OldImage: before, NewImage: after } = dynamodb ?? {};
  const again = valueOf(after?.['publishedAgain']);
  const isAgain = again !== undefined && again !== valueOf(before?.['publishedAgain']);
  const isNew = before !== undefined && (isAgain || (topicUntilOf(after) ?? 0) > (topicUntilOf(before) ?? 0));
  return {
    organisation: valueOf(Keys?.['organisation']) ?? '',
    until: topicUntilOf(after ?? before),
    isNew,
    attempt: isAgain ? Number.parseInt(again, 10) : 0,
  };
}

/** Identifies the item of a record, by which records are kept in order; the attributes of a key may come in any order. */
export const itemIdentity = ({ dynamodb }: StreamRecord): string =>
  JSON.stringify(Object.entries(dynamodb?.Keys ?? {}).sort(([one], [other]) => (one < other ? -1 : 1)));

/** What a record is about: its item, the version that the change leads to, and what caused it. */
export interface RecordedChange {
  readonly id: string;
  /** A deletion counts as one more change. */
  readonly version: number | undefined;
  /** Of the event of the platform that caused it. */
  readonly eventId?: string;
  /** Of the request that caused it. */
  readonly requestId?: string;
}

/** What a record is about; it never fails, since it is for the log. */
export function describeChange({ dynamodb }: StreamRecord): RecordedChange {
  const { Keys: keys = {}, OldImage: before, NewImage: after } = dynamodb ?? {};
  const id = valueOf(keys['jobId'] ?? keys['commandId'] ?? keys['shareCode'] ?? keys['id']) ?? '';
  const version = Number(valueOf((after ?? before)?.['version']) ?? NaN);
  const known = { id, version: Number.isNaN(version) ? undefined : version + (after ? 0 : 1) };
  const cause = valueOf(after?.['changeId']);
  if (cause === undefined) return known;
  const eventId = changeIdToEvent(cause);
  return { ...known, ...(eventId === undefined ? { requestId: cause } : { eventId }) };
}

/** When a record was created, ISO 8601. */
export const recordedAt = ({ dynamodb }: StreamRecord): string =>
  new Date((dynamodb?.ApproximateCreationDateTime ?? 0) * 1000).toISOString();
