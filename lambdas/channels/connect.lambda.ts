import { HANDSHAKE } from '../../contract/channels/status-channels';
import { HANDSHAKES_PER_MINUTE } from '../../contract/terms/rates';
import { broadcastProtocol, shareProtocols } from '../../contract/shares/viewer-protocol';
import { callCounter, limitRate } from '../../data/access/rate-limit';
import { Refusal } from '../../domain/values/refusal';
import { identify } from '../access/identify';
import { expectCloudFront, handshake, protocolsIn, tokenIn, type Accepted, type ConnectEvent } from './handshake';
import { followChannel } from './follow-channel';
import { openPartnerSession, openViewerSession } from './open-session';

/** The `channel` parameter that the CloudFront function derives from the path of the telemetry endpoint. */
const TELEMETRY = 'telemetry';

const outcomes: Readonly<Record<string, string>> = shareProtocols;

/**
 * Connects a viewer. A browser can't read the status of a failed handshake, so a page that offers a subprotocol for the
 * refusal gets that subprotocol instead of a failed handshake.
 * @throws Refusal
 */
async function openForViewer(event: ConnectEvent, shareCode: string, now: Date): Promise<Accepted> {
  const offered = protocolsIn(event);
  const protocolFor = (outcome: string) => offered.find((protocol) => protocol === outcomes[outcome]);
  try {
    await openViewerSession(event.requestContext.connectionId, shareCode, offered.includes(broadcastProtocol), now);
    return { protocol: protocolFor('watching') };
  } catch (error) {
    const protocol = error instanceof Refusal ? protocolFor(error.code) : undefined;
    if (!(error instanceof Refusal) || protocol === undefined) throw error;
    return { protocol, reason: error.code };
  }
}

/** `$connect`: a partner with a token, for a status channel or telemetry, or a viewer with a share code, for telemetry. */
export const handler = handshake(async (event, now, line) => {
  expectCloudFront(event);
  const { channel, shareCode } = event.queryStringParameters ?? {};
  const token = tokenIn(event);
  if (token === undefined && channel === TELEMETRY && shareCode) return openForViewer(event, shareCode, now);
  if (token === undefined) throw new Refusal('unauthorized');
  const identity = await identify(token);
  line.clientId = identity.clientId;
  const handshakes = identity.limits?.[HANDSHAKE] ?? HANDSHAKES_PER_MINUTE;
  await limitRate(callCounter(identity.clientId, HANDSHAKE), handshakes, now);
  if (channel === TELEMETRY) await openPartnerSession(line.connectionId, identity, now);
  else await followChannel(event, identity, now);
  return {};
});
