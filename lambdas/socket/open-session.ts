import { MAX_CONNECTIONS } from '../../contract/channels';
import { telemetryActions } from '../../contract/telemetry';
import { takeConnectionPlace } from '../../data/connections';
import { isActive } from '../../data/organisation-status';
import { openSession } from '../../data/sessions';
import { enterShare, leaveShare, placeOf } from '../../data/share-viewers';
import { readShare } from '../../data/shares';
import { organisationOf } from '../../domain/id';
import { Refusal } from '../../domain/refusal';
import type { Identity } from '../identify';
import { LONGEST } from './connect-event';

/** Any of these makes the telemetry endpoint useful. */
const useful: readonly string[] = [telemetryActions.subscribe.needs, telemetryActions.publish.needs];

/** A partner opens a telemetry socket. @throws Refusal `forbidden`, `too_many_requests` */
export async function openPartnerSession(connectionId: string, identity: Identity, now: Date): Promise<void> {
  const { clientId, organisation, scopes } = identity;
  if (!scopes.some((scope) => useful.includes(scope))) throw new Refusal('forbidden');
  const openedAt = Math.floor(now.getTime() / 1000);
  const expiresAt = Math.min(identity.expiresAt, openedAt + LONGEST);
  await takeConnectionPlace({ clientId, connectionId, expiresAt }, MAX_CONNECTIONS, openedAt);
  const session = { kind: 'partner', clientId, organisation, scopes: [...scopes], connectionId, openedAt, expiresAt };
  await openSession({ ...session, kind: 'partner' });
}

/** A viewer opens a telemetry socket with a share code. @throws Refusal `share_not_found`, `too_many_viewers` */
export async function openViewerSession(connectionId: string, shareCode: string, now: Date): Promise<void> {
  // A guess costs one read; only a share that stands is written to.
  const standing = await readShare(shareCode, now.toISOString());
  if (!standing) throw new Refusal('share_not_found');
  const organisation = organisationOf('share', shareCode) ?? '';
  // What a suspended organisation has shared is as good as not there, until it is resumed.
  if (!(await isActive(organisation))) throw new Refusal('share_not_found');
  const openedAt = Math.floor(now.getTime() / 1000);
  const expiresAt = Math.min(Math.ceil(Date.parse(standing.expiresAt) / 1000), openedAt + LONGEST);
  const place = placeOf(connectionId, expiresAt);
  const { resourceId, deviceId, shareType, permissions } = await enterShare(shareCode, place, now);
  const who = { shareCode, resourceId, deviceId, shareType, permissions, organisation };
  try {
    await openSession({ kind: 'viewer', ...who, connectionId, openedAt, expiresAt });
  } catch (error) {
    // A handshake that fails is followed by no end, so nothing else would give the place back.
    await leaveShare(shareCode, new Set([place]));
    throw error;
  }
}
