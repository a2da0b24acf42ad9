import { noteRefusal } from '../../data/sessions';
import { Refusal } from '../../domain/refusal';
import { identify } from '../identify';
import { tokenIn, type ConnectEvent } from './connect-event';
import { followChannel } from './follow-channel';
import { handshake } from './handshake';
import { openPartnerSession, openViewerSession } from './open-session';

/** What CloudFront's function makes of the path of the telemetry endpoint. */
const TELEMETRY = 'telemetry';

/** A page is let in to be told why not, since a browser can't see the status of a handshake. */
async function openForPage(connectionId: string, shareCode: string, now: Date): Promise<void> {
  try {
    await openViewerSession(connectionId, shareCode, now);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    await noteRefusal(connectionId, error.code, Math.floor(now.getTime() / 1000));
  }
}

/** `$connect`: a partner with a token, for a status channel or for telemetry, or a viewer with a share code. */
export const handler = handshake(async (event: ConnectEvent, now) => {
  const { connectionId } = event.requestContext;
  const { channel, shareCode, page } = event.queryStringParameters ?? {};
  const token = tokenIn(event);
  if (token === undefined && channel === TELEMETRY && shareCode)
    return page === '1' ? openForPage(connectionId, shareCode, now) : openViewerSession(connectionId, shareCode, now);
  if (token === undefined) throw new Refusal('unauthorized');
  const identity = await identify(token);
  return channel === TELEMETRY ? openPartnerSession(connectionId, identity, now) : followChannel(event, identity, now);
});
