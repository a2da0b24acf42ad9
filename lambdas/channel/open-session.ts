import { MAX_CONNECTIONS } from '../../contract/channels';
import { telemetryActions } from '../../contract/telemetry';
import { forgetConnection, takeConnectionPlace } from '../../data/connections/connections';
import { greetLater } from '../../data/connections/greetings';
import { isActive } from '../../data/partners/organisation-status';
import { openSession, sessionItem, type PartnerSession, type ViewerSession } from '../../data/connections/sessions';
import { takeSeat } from '../../data/shares/share-viewers';
import { readShare } from '../../data/shares/shares';
import { organisationOf } from '../../domain/id';
import { Refusal } from '../../domain/refusal';
import { arrivalsPerMinute } from '../../domain/share';
import { lastWord } from './expect-channel';
import type { Identity } from '../auth/identify';
import { shareIdOf } from '../delivery/share-id';
import { LONGEST_CONNECTION_S } from './connect-event';
import { limitRate } from './limit-rate';

/** Any of these makes the telemetry endpoint useful. */
const useful: readonly string[] = [telemetryActions.subscribe.needs, telemetryActions.publish.needs];

/** A partner opens a telemetry socket. @throws Refusal `forbidden`, `too_many_requests` */
export async function openPartnerSession(connectionId: string, identity: Identity, now: Date): Promise<void> {
  const { clientId, organisation, scopes } = identity;
  if (!scopes.some((scope) => useful.includes(scope))) throw new Refusal('forbidden');
  const openedAt = Math.floor(now.getTime() / 1000);
  const expiresAt = Math.min(identity.expiresAt, openedAt + LONGEST_CONNECTION_S);
  await takeConnectionPlace({ clientId, connectionId, openedAt, expiresAt }, MAX_CONNECTIONS, openedAt);
  const who = { clientId, organisation, scopes: [...scopes] };
  const session: PartnerSession = { kind: 'partner', ...who, connectionId, openedAt, expiresAt };
  try {
    await openSession(session);
  } catch (error) {
    await giveUp(session);
    throw error;
  }
}

/**
 * A viewer opens a telemetry socket with a share code, and is greeted once it is open.
 * @throws Refusal `share_not_found`, `too_many_requests`, `too_many_viewers`
 */
export async function openViewerSession(connectionId: string, shareCode: string, now: Date): Promise<void> {
  // A guess costs one read; only for a share that stands anything is written.
  const share = await readShare(shareCode, now.toISOString());
  if (!share) throw new Refusal('share_not_found');
  const organisation = organisationOf('share', shareCode) ?? '';
  // What a suspended organisation has shared is as good as not there, until it is resumed.
  if (!(await isActive(organisation))) throw new Refusal('share_not_found');
  await limitRate(`viewers#${shareIdOf(shareCode)}`, arrivalsPerMinute(share), now);
  const openedAt = Math.floor(now.getTime() / 1000);
  const expiresAt = Math.min(Math.ceil(Date.parse(share.expiresAt) / 1000), openedAt + LONGEST_CONNECTION_S);
  const { resourceId, deviceId, shareType, permissions } = share;
  const who = { shareCode, resourceId, deviceId, shareType, permissions };
  const session: ViewerSession = { kind: 'viewer', ...who, organisation, connectionId, openedAt, expiresAt };
  try {
    await takeSeat(share, session, openedAt);
    await openSession(session);
    const end = lastWord({ kind: 'share', before: share, after: undefined }, now.toISOString());
    await greetLater({ kind: 'viewer', connectionId, end });
  } catch (error) {
    if (!(error instanceof Refusal)) await giveUp(session);
    throw error;
  }
}

/** A handshake that fails is followed by no end, so nothing else would give its place back and forget it. */
const giveUp = (session: PartnerSession | ViewerSession) => forgetConnection(sessionItem(session));
