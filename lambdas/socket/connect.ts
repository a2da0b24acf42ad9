import { greetLater } from '../../data/greetings';
import { Refusal, type RefusalCode } from '../../domain/refusal';
import { identify } from '../identify';
import { tokenIn, type ConnectEvent } from './connect-event';
import { followChannel } from './follow-channel';
import { handshake } from './handshake';
import { openPartnerSession, openViewerSession } from './open-session';

/** What CloudFront's function makes of the path of the telemetry endpoint. */
const TELEMETRY = 'telemetry';

/** A page is let in to be told why not, since a browser can't see the status of a handshake. @returns why not */
async function openForPage(connectionId: string, shareCode: string, now: Date): Promise<RefusalCode | undefined> {
  try {
    await openViewerSession(connectionId, shareCode, now);
    return undefined;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    await greetLater({ kind: 'refused', connectionId, code: error.code });
    return error.code;
  }
}

/** `$connect`: a partner with a token, for a status channel or for telemetry, or a viewer with a share code. */
export const handler = handshake(async (event: ConnectEvent, now) => {
  const { connectionId } = event.requestContext;
  const { channel, shareCode, page } = event.queryStringParameters ?? {};
  const token = tokenIn(event);
  if (token === undefined && channel === TELEMETRY && shareCode) {
    if (page === '1') return openForPage(connectionId, shareCode, now);
    await openViewerSession(connectionId, shareCode, now);
    return undefined;
  }
  if (token === undefined) throw new Refusal('unauthorized');
  const identity = await identify(token);
  if (channel === TELEMETRY) await openPartnerSession(connectionId, identity, now);
  else await followChannel(event, identity, now);
  return undefined;
});
