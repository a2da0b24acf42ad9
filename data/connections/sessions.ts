import * as z from 'zod/mini';
import { permissions, shareTypes } from '../../domain/share';
import { KEPT_AFTERWARDS_S, channelKey, type Connection } from './connections';
import { BatchWriteCommand, DeleteCommand, GetCommand, PutCommand } from '../store/document-client';
import { dynamodb, table } from '../store/dynamodb';

const common = {
  /** When it was opened, Unix seconds. */
  openedAt: z.int(),
  connectionId: z.string(),
  /** Tag of the organisation whose telemetry it may see. */
  organisation: z.string(),
  /** When it has to end, Unix seconds. */
  expiresAt: z.int(),
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
});

/** Who is at the other end of a telemetry socket. */
const session = z.discriminatedUnion('kind', [partnerSession, viewerSession]);
export type Session = z.output<typeof session>;
export type PartnerSession = z.output<typeof partnerSession>;
export type ViewerSession = z.output<typeof viewerSession>;

const sessionKey = (connectionId: string) => `session#${connectionId}`;

/** Whether an item is the session of its socket, and not one of what it follows. */
export const isSession = ({ channel, connectionId }: { channel: string; connectionId: string }) =>
  channel === sessionKey(connectionId);

const TELEMETRY = 'telemetry#';
const deviceKey = (id: string) => `${TELEMETRY}${id}`;

const shareKey = (shareCode: string) => channelKey({ kind: 'share', id: shareCode });

const belongings = ({ connectionId, expiresAt, openedAt, ...who }: Session) => ({
  connectionId,
  expiresAt,
  openedAt,
  ttl: expiresAt + KEPT_AFTERWARDS_S,
  session: true as const,
  ...(who.kind === 'partner' ? { clientId: who.clientId } : { shareCode: who.shareCode }),
});

/**
 * Notes who a telemetry socket is. A viewer follows the share and its device as soon as it has been greeted, a partner
 * nothing yet.
 */
export async function openSession(opened: Session): Promise<void> {
  const items = [
    { ...opened, ...belongings(opened), channel: sessionKey(opened.connectionId) },
    ...(opened.kind === 'viewer'
      ? [
          { ...belongings(opened), channel: deviceKey(opened.deviceId), waits: opened.openedAt },
          { ...belongings(opened), channel: shareKey(opened.shareCode), waits: opened.openedAt },
        ]
      : []),
  ];
  const { UnprocessedItems } = await dynamodb.send(
    new BatchWriteCommand({
      RequestItems: { [table('CONNECTIONS')]: items.map((Item) => ({ PutRequest: { Item } })) },
    }),
  );
  if (UnprocessedItems?.[table('CONNECTIONS')]) throw new Error('the connections table did not take every item');
}

/** Who a telemetry socket is, or undefined when it is none (any more). */
export async function findSession(connectionId: string): Promise<Session | undefined> {
  const { Item } = await dynamodb.send(
    new GetCommand({
      TableName: table('CONNECTIONS'),
      Key: { channel: sessionKey(connectionId), connectionId },
      ConsistentRead: true,
    }),
  );
  return Item && session.parse(Item);
}

/** Lets a session follow a device or a group, as soon as it has been told the state. @param now Unix seconds */
export const follow = (session: Session, id: string, now: number) =>
  dynamodb.send(
    new PutCommand({
      TableName: table('CONNECTIONS'),
      Item: { ...belongings(session), channel: deviceKey(id), waits: now },
    }),
  );

/** Ends that; nothing happens when it did not follow. */
export const unfollow = ({ connectionId }: Session, id: string) =>
  dynamodb.send(new DeleteCommand({ TableName: table('CONNECTIONS'), Key: { channel: deviceKey(id), connectionId } }));

/** The item by which a session follows a device or a group. */
export const followedDevice = (session: Session, id: string): Connection => ({
  ...belongings(session),
  channel: deviceKey(id),
});

/** The item by which a viewer follows its share. */
export const followedShare = (session: ViewerSession): Connection => ({
  ...belongings(session),
  channel: shareKey(session.shareCode),
});

/** The item of the session itself. */
export const sessionItem = (session: Session): Connection => ({
  ...belongings(session),
  channel: sessionKey(session.connectionId),
});
