import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { Change } from '../../domain/status-event';
import { deviceFromItem } from '../fleet/fleet';
import { fromItem } from '../jobs/job-item';
import { shareFromItem } from '../shares/shares';

/** A DynamoDB stream record, as much of it as is used. */
export interface StreamRecord {
  readonly eventSourceARN?: string;
  /** Who deleted it, when that was DynamoDB itself because its time to live was over. */
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

/** Lambda's type of an image and the SDK's differ in name only. */
const plain = (image: Record<string, unknown> | undefined) =>
  image && unmarshall(image as Record<string, AttributeValue>);

/** A record holds an item that can't be read, and never can be. */
export class UnreadableRecord extends Error {
  override readonly name = 'UnreadableRecord';
}

/**
 * What a record of the jobs, shares or fleet stream changed. The key tells which table it is of.
 * @returns undefined for what no channel tells of, such as a device group
 * @throws UnreadableRecord for an item that we never wrote
 */
export function changeOf(record: StreamRecord): Change | undefined {
  try {
    return readChange(record);
  } catch (cause) {
    throw new UnreadableRecord('a stream record holds what is no item of ours', { cause });
  }
}

function readChange({ dynamodb, userIdentity }: StreamRecord): Change | undefined {
  const keys = dynamodb?.Keys ?? {};
  const [before, after] = [plain(dynamodb?.OldImage), plain(dynamodb?.NewImage)];
  if ('jobId' in keys) return { kind: 'job', before: fromItem(before)?.job, after: fromItem(after)?.job };
  if ('shareCode' in keys) {
    const share = shareFromItem(before);
    return { kind: 'share', before: share && { ...share, ...timedOut(userIdentity) }, after: shareFromItem(after) };
  }
  if (!('id' in keys)) throw new Error('a stream record of a table that has no channel');
  const change = { before: deviceFromItem(before), after: deviceFromItem(after) };
  return change.before || change.after ? { kind: 'device', ...change } : undefined;
}

/** DynamoDB developer guide, "DynamoDB Streams and Time to Live". */
const timedOut = (userIdentity: StreamRecord['userIdentity']) =>
  userIdentity?.principalId === 'dynamodb.amazonaws.com' && { expired: true as const };

/** What one item is: records of the same item stay in order. The names of its key come in any order. */
export const itemOf = ({ dynamodb }: StreamRecord): string =>
  JSON.stringify(Object.entries(dynamodb?.Keys ?? {}).sort(([one], [other]) => (one < other ? -1 : 1)));

/** When a record was made, ISO 8601. */
export const momentOf = ({ dynamodb }: StreamRecord): string =>
  new Date((dynamodb?.ApproximateCreationDateTime ?? 0) * 1000).toISOString();
