/**
 * Until when somebody may follow the telemetry or the positions of a resource, or be subscribed to its topic. It is an
 * attribute of the resource's own item, which whoever delivers has at hand anyway: so what nobody follows costs no
 * search for followers. And it is in the records of the item's stream, in order with the changes.
 */
import * as z from 'zod/mini';
import { followedUntil, type FollowedUntil } from '../../domain/telemetry/followed-until';
import { organisationOf, type Resource } from '../../domain/values/id';
import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { itemThatRefused, succeeded } from '../store/conditional-write';
import { fleetKey } from '../fleet/fleet-key';
import { dynamodb, table } from '../store/dynamodb';
import { update } from '../store/expression';

/** What telemetry and positions are sent for, and what is published only to subscribers of its topic. */
export interface Followed extends Resource {
  readonly kind: 'job' | 'group' | 'device' | 'share';
}

/** `sockets`: WebSocket connections, which `followersOf` finds; `topic`: subscriptions to the MQTT topic. */
export type Medium = 'sockets' | 'topic';

/** Attribute by medium: Unix seconds. */
export const untilAttributes = { sockets: 'socketsUntil', topic: 'topicUntil' } as const satisfies Record<
  Medium,
  keyof FollowedUntil
>;

/** Attribute of the key that every item of a kind has. */
const idOf = { job: 'jobId', share: 'shareCode', group: 'id', device: 'id' } as const;

/** An end so close that an instance may have passed it already, in ms: clocks differ. */
const CLOCKS_DIFFER_MS = 2000;
/** A follower of this moment, in ms: an instance may not have noticed it yet (`NOTICED_AFTER_MS`). */
const LATELY_MS = 1000;

function itemOf({ kind, id }: Followed) {
  const organisation = organisationOf(kind, id);
  if (!organisation) return undefined;
  switch (kind) {
    case 'job':
      return { TableName: table('jobs'), Key: { organisation, jobId: id } };
    case 'share':
      return { TableName: table('shares'), Key: { organisation, shareCode: id } };
    default:
      return { TableName: table('fleet'), Key: fleetKey(organisation, id) };
  }
}

const noted = z.extend(followedUntil, {
  /** When it was noted last that somebody follows, Unix ms. */
  followedAt: z.optional(z.int()),
  /** Of a device: its group. */
  deviceGroupId: z.optional(z.string()),
});

const followedItem = z.extend(followedUntil, {
  /** Of a group: when it was noted last that somebody follows a device of it by itself, Unix ms. */
  membersFollowedAt: z.optional(z.int()),
});
export type FollowedItem = z.output<typeof followedItem>;

/** Whether somebody followed already, so long ago that whoever delivers knows. */
function wasFollowed(item: Record<string, unknown> | undefined, medium: Medium, now: number): boolean {
  const { followedAt = 0, ...before } = noted.parse(item ?? {});
  return (before[untilAttributes[medium]] ?? 0) * 1000 >= now + CLOCKS_DIFFER_MS && followedAt < now - LATELY_MS;
}

/**
 * Notes that a resource is followed until at least this time; a later end stays. No effect on a resource that does not exist.
 * @param until Unix seconds
 * @returns whether nobody followed it before, or only since a moment ago
 */
export async function noteFollowed(followed: Followed, medium: Medium, until: number): Promise<boolean> {
  const item = itemOf(followed);
  if (!item) return false;
  const now = Date.now();
  const attribute = untilAttributes[medium];
  try {
    const { Attributes } = await dynamodb.send(
      new UpdateCommand({
        ...item,
        ...update({
          set: { [attribute]: until, followedAt: now },
          condition: `attribute_exists(${idOf[followed.kind]}) AND (attribute_not_exists(${attribute}) OR ${attribute} < :${attribute})`,
        }),
        ReturnValues: 'ALL_OLD',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );
    return await noteFirst(Attributes, medium, now);
  } catch (error) {
    const { found } = itemThatRefused(error);
    return found !== undefined && noteFirst(found, medium, now);
  }
}

/**
 * Notes the first follower of a device in the item of its group too: whoever receives samples reads that every half second, but a
 * device that it knows not with each sample.
 * @returns whether it is the first one
 */
async function noteFirst(before: Record<string, unknown> | undefined, medium: Medium, now: number): Promise<boolean> {
  if (wasFollowed(before, medium, now)) return false;
  const { deviceGroupId } = noted.parse(before ?? {});
  const group = deviceGroupId === undefined ? undefined : itemOf({ kind: 'group', id: deviceGroupId });
  if (group && before?.['kind'] === 'device')
    await succeeded(
      dynamodb.send(
        new UpdateCommand({
          ...group,
          ...update({ set: { membersFollowedAt: now }, condition: 'attribute_exists(id)' }),
        }),
      ),
    );
  return true;
}

/**
 * Has the stream publish the state of a job or a share to its topic once more, in order with its changes: whoever
 * published it beside the stream could do so after the end.
 * @param attempt how often that was requested before, which the record of the stream has too
 * @returns whether the resource exists
 */
export const publishAgain = (followed: Followed & { kind: 'job' | 'share' }, attempt: number): Promise<boolean> => {
  const item = itemOf(followed);
  if (!item) return Promise.resolve(false);
  return succeeded(
    dynamodb.send(
      new UpdateCommand({
        ...item,
        ...update({
          // Each time another value.
          set: { publishedAgain: `${attempt} ${Date.now()}` },
          condition: `attribute_exists(${idOf[followed.kind]})`,
        }),
      }),
    ),
  );
};

/** Until when somebody may follow a resource, strongly consistent; nobody follows one that does not exist. */
export async function readFollowed(followed: Followed): Promise<FollowedItem> {
  const item = itemOf(followed);
  if (!item) return {};
  const { Item } = await dynamodb.send(
    new GetCommand({
      ...item,
      ConsistentRead: true,
      ProjectionExpression: Object.keys(followedItem.shape).join(', '),
    }),
  );
  return followedItem.parse(Item ?? {});
}
