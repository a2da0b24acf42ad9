import { channelKey } from '../store/channel-key';
import { ThrottlingException } from '@aws-sdk/client-dynamodb';
import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod/mini';
import { permissions, shareTypes } from '../../domain/shares/share';
import { findConnection, storedAttributes, type Connection } from './connections';
import {
  BatchWriteCommand,
  DeleteCommand,
  GetCommand,
  PutCommand,
  type BatchWriteCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { succeeded } from '../store/conditional-write';
import { dynamodb, table } from '../store/dynamodb';

const common = {
  /** Unix seconds. */
  openedAt: z.int(),
  connectionId: z.string(),
  /** Tag of the organisation whose telemetry it may read. */
  organisation: z.string(),
  /** When it must be closed, Unix seconds; see {@link Connection.expiresAt}. */
  expiresAt: z.number(),
};

const partnerSession = z.object({
  ...common,
  kind: z.literal('partner'),
  clientId: z.string(),
  scopes: z.array(z.string()),
});
const viewerSession = z.object({
  ...common,
  kind: z.literal('viewer'),
  shareCode: z.string(),
  shareType: z.enum(shareTypes),
  resourceId: z.string(),
  deviceId: z.string(),
  permissions: z.array(z.enum(permissions)),
  /** See {@link Connection.broadcast}. */
  broadcast: z.optional(z.string()),
  /** See {@link Connection.shard}. */
  shard: z.optional(z.int()),
});

/** The identity of a telemetry socket: a partner's client or a viewer of a share. */
const session = z.discriminatedUnion('kind', [partnerSession, viewerSession]);
export type Session = z.output<typeof session>;
export type PartnerSession = z.output<typeof partnerSession>;
export type ViewerSession = z.output<typeof viewerSession>;

const sessionKey = (connectionId: string) => `session#${connectionId}`;

/** Whether an item holds the session of its socket, not something that it follows. */
export const isSession = ({ channel, connectionId }: { channel: string; connectionId: string }) =>
  channel === sessionKey(connectionId);

const TELEMETRY = 'telemetry#';
const deviceKey = (id: string) => `${TELEMETRY}${id}`;

const shareKey = (shareCode: string) => channelKey({ kind: 'share', id: shareCode });

const commonAttributes = ({ connectionId, expiresAt, openedAt, ...rest }: Session) => ({
  connectionId,
  expiresAt,
  openedAt,
  ...storedAttributes({ connectionId, openedAt }),
  session: true as const,
  ...(rest.kind === 'partner'
    ? { clientId: rest.clientId }
    : { shareCode: rest.shareCode, shard: rest.shard, ...(rest.broadcast && { broadcast: rest.broadcast }) }),
});

/**
 * The topic of a share follows the share's device, by one item for all of its viewers: as long as the newest of them
 * may stay.
 */
const topicItem = (opened: ViewerSession) => ({
  ...commonAttributes(opened),
  channel: deviceKey(opened.deviceId),
  connectionId: opened.broadcast,
});

const HOLDER = 'holder#';

/** Notes that a viewer's socket holds the control of its device, for the end of the socket. It follows nothing by that. */
export const noteHolder = (session: ViewerSession) =>
  dynamodb.send(
    new PutCommand({
      TableName: table('connections'),
      Item: { ...commonAttributes(session), channel: `${HOLDER}${session.deviceId}` },
    }),
  );

/** The device that a socket held by one of its items, if it is such an item. */
export const heldDevice = ({ channel }: Connection): string | undefined =>
  channel.startsWith(HOLDER) ? channel.slice(HOLDER.length) : undefined;

/** A viewer's socket, or the topic of a share, follows the device of the share no longer. */
export const endSamples = (receiver: string, deviceId: string) =>
  unfollowItem({ channel: deviceKey(deviceId), connectionId: receiver });

type Writes = NonNullable<BatchWriteCommandInput['RequestItems']>;

/** Waits between attempts for items that a batch left out since their partition is throttled, in ms, on average. */
const BATCH_RETRY_DELAYS_MS = [100, 300, 900];

/**
 * Stores the session of a telemetry socket. A viewer follows the share and its device as soon as its snapshot is sent; a
 * partner follows nothing yet.
 * @throws Error when DynamoDB left out an item in every attempt
 */
export async function openSession(opened: Session): Promise<void> {
  const items = [
    { ...opened, ...commonAttributes(opened), channel: sessionKey(opened.connectionId) },
    ...(opened.kind === 'viewer'
      ? [
          opened.broadcast
            ? topicItem(opened)
            : { ...commonAttributes(opened), channel: deviceKey(opened.deviceId), bufferingSince: opened.openedAt },
          { ...commonAttributes(opened), channel: shareKey(opened.shareCode), bufferingSince: opened.openedAt },
        ]
      : []),
  ];
  let left: Writes = { [table('connections')]: items.map((Item) => ({ PutRequest: { Item } })) };
  for (const wait of [...BATCH_RETRY_DELAYS_MS, undefined]) {
    const { UnprocessedItems = {} } = await dynamodb.send(new BatchWriteCommand({ RequestItems: left }));
    if (Object.keys(UnprocessedItems).length === 0) return;
    left = UnprocessedItems;
    if (wait !== undefined) await pause(wait * (0.5 + Math.random()));
  }
  throw new ThrottlingException({ message: 'the batch write to the connections table left out items', $metadata: {} });
}

/** The session of a telemetry socket, or undefined when it has none. */
export async function findSession(connectionId: string): Promise<Session | undefined> {
  const { Item } = await dynamodb.send(
    new GetCommand({
      TableName: table('connections'),
      Key: { channel: sessionKey(connectionId), connectionId },
      ConsistentRead: true,
    }),
  );
  return Item && session.parse(Item);
}

/**
 * Subscribes a session to a device or a group, in place of its earlier subscription to it; messages are buffered until its
 * snapshot is sent.
 * @param now Unix seconds
 * @param waiting identifies this subscription: the snapshot of an earlier one does not end it
 * @param batch whether samples that arrive together are sent as one message
 * @returns the item of the earlier subscription, if there was one
 */
export async function followDevice(
  session: Session,
  id: string,
  now: number,
  waiting: string,
  batch = false,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const { Attributes } = await dynamodb.send(
    new PutCommand({
      TableName: table('connections'),
      Item: {
        ...commonAttributes(session),
        channel: deviceKey(id),
        bufferingSince: now,
        waiting,
        ...(batch && { batch: true }),
      },
      ReturnValues: 'ALL_OLD',
    }),
  );
  // After a write whose response was lost, and which the SDK retries, it is this one: then the earlier one is not known.
  return Attributes?.['waiting'] === waiting ? undefined : Attributes;
}

/**
 * Takes a subscription back that did not come about: the earlier one is as it was. Not when another has taken its place
 * meanwhile; nor when the earlier one has missed a message: then it goes on waiting, so the heartbeat closes the socket
 * and its client learns of it.
 * @param waiting of the subscription
 * @param earlier what {@link followDevice} returned
 */
export async function takeBack(
  { connectionId }: Session,
  id: string,
  waiting: string,
  earlier: Readonly<Record<string, unknown>> | undefined,
): Promise<void> {
  const key = { channel: deviceKey(id), connectionId };
  const isStillThis = {
    TableName: table('connections'),
    ConditionExpression: `waiting = :waiting${earlier ? ' AND attribute_not_exists(buffered)' : ''}`,
    ExpressionAttributeValues: { ':waiting': waiting },
  };
  await succeeded(
    earlier
      ? dynamodb.send(new PutCommand({ ...isStillThis, Item: { ...earlier, ...key } }))
      : dynamodb.send(new DeleteCommand({ ...isStillThis, Key: key })),
  );
}

/** Ends the subscription with this item. */
export const unfollowItem = ({ channel, connectionId }: Pick<Connection, 'channel' | 'connectionId'>) =>
  dynamodb.send(new DeleteCommand({ TableName: table('connections'), Key: { channel, connectionId } }));

/** Unsubscribes a session from a device or a group, if it was subscribed. */
export const unfollow = ({ connectionId }: Session, id: string) =>
  unfollowItem({ channel: deviceKey(id), connectionId });

/**
 * Ends all subscriptions of a socket. One so new that the index by socket lacks it ends at the latest with the token with
 * which it was made (see {@link Connection.expiresAt}).
 */
export async function unfollowAll(connectionId: string): Promise<void> {
  const items = await findConnection(connectionId);
  await Promise.all(items.filter(({ channel }) => channel.startsWith(TELEMETRY)).map(unfollowItem));
}

/** The item with which a session follows a device or a group. */
export const followedDevice = (session: Session, id: string): Connection => ({
  ...commonAttributes(session),
  channel: deviceKey(id),
});

/** The item with which a viewer follows its share. */
export const followedShare = (session: ViewerSession): Connection => ({
  ...commonAttributes(session),
  channel: shareKey(session.shareCode),
});

/** The item of the session itself. */
export const sessionItem = (session: Session): Connection => ({
  ...commonAttributes(session),
  channel: sessionKey(session.connectionId),
});
