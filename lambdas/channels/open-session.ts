import { MAX_CONNECTIONS } from '../../contract/channels/status-channels';
import { lacksScope } from '../../contract/terms/forbidden';
import { noteFollowed } from '../../data/channels/followed-channels';
import { removeConnection, takeConnectionSeat } from '../../data/channels/connections';
import { requestSnapshot } from '../../data/channels/request-snapshot';
import { isActive } from '../../data/access/organisation-status';
import { openSession, sessionItem, type PartnerSession, type ViewerSession } from '../../data/channels/sessions';
import { takeViewerSeat } from '../../data/shares/share-viewers';
import { readShare } from '../../data/shares/shares';
import { LONGEST_CONNECTION_S } from '../../domain/channels/longest-connection';
import { organisationOf } from '../../domain/values/id';
import { Refusal } from '../../domain/values/refusal';
import { isBroadcast, viewerHandshakesPerMinute } from '../../domain/shares/share';
import { finalMessage } from './authorise-channel';
import type { CallerIdentity } from '../access/identify';
import { broadcastTopic, digestShareCode } from '../../data/shares/share-id';
import { limitRate } from '../../data/access/rate-limit';
import { telemetryScopes } from '../../contract/telemetry/telemetry.actions';

/** Opens a partner's session on the telemetry endpoint. @throws Refusal `forbidden`, `too_many_requests` */
export async function openPartnerSession(connectionId: string, identity: CallerIdentity, now: Date): Promise<void> {
  const { clientId, organisation, scopes: granted } = identity;
  if (!telemetryScopes.some((scope) => granted.includes(scope))) throw lacksScope('Authorization', ...telemetryScopes);
  const openedAt = Math.floor(now.getTime() / 1000);
  const expiresAt = Math.min(identity.expiresAt, openedAt + LONGEST_CONNECTION_S);
  await takeConnectionSeat({ clientId, connectionId, openedAt }, MAX_CONNECTIONS, openedAt);
  const client = { clientId, organisation, scopes: [...granted] };
  const session: PartnerSession = { kind: 'partner', ...client, connectionId, openedAt, expiresAt };
  try {
    await openSession(session);
  } catch (error) {
    await rollBack(session);
    throw error;
  }
}

/**
 * Opens a viewer's session on the telemetry endpoint, by share code, and requests its snapshot.
 * @param takesBroadcast whether the viewer can take samples from the topic of the share
 * @throws Refusal `share_not_found`, `too_many_requests`, `too_many_viewers`
 */
export async function openViewerSession(
  connectionId: string,
  shareCode: string,
  takesBroadcast: boolean,
  now: Date,
): Promise<void> {
  // A guessed code costs one read: nothing is written unless the share exists.
  const share = await readShare(shareCode, now.toISOString());
  if (!share) throw new Refusal('share_not_found');
  const organisation = organisationOf('share', shareCode) ?? '';
  // Shares of a suspended organisation count as not found until it is resumed.
  if (!(await isActive(organisation))) throw new Refusal('share_not_found');
  await limitRate(`viewers#${digestShareCode(shareCode)}`, viewerHandshakesPerMinute(share), now);
  const openedAt = Math.floor(now.getTime() / 1000);
  const expiresAt = Math.min(Date.parse(share.expiresAt) / 1000, openedAt + LONGEST_CONNECTION_S);
  const { resourceId, deviceId, shareType, permissions } = share;
  const shared = { shareCode, resourceId, deviceId, shareType, permissions };
  const session: ViewerSession = {
    kind: 'viewer',
    ...shared,
    organisation,
    connectionId,
    openedAt,
    expiresAt,
    ...(takesBroadcast && isBroadcast(share) && { broadcast: broadcastTopic(shareCode) }),
  };
  try {
    session.shard = await takeViewerSeat(share, session, openedAt);
    await openSession(session);
    const isUnnoticed = await noteFollowed({ kind: 'device', id: deviceId }, 'sockets', Math.ceil(expiresAt));
    const end = finalMessage({ kind: 'share', before: share, after: undefined }, now.toISOString());
    await requestSnapshot({ kind: 'viewer', connectionId, end, isUnnoticed });
  } catch (error) {
    if (!(error instanceof Refusal)) await rollBack(session);
    throw error;
  }
}

/** API Gateway sends no $disconnect for a failed handshake, so nothing else would release the seat and delete the items. */
const rollBack = (session: PartnerSession | ViewerSession) => removeConnection(sessionItem(session));
