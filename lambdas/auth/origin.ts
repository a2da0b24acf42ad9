import { ORIGIN_VERIFY } from '../../contract/origin-verify';
import { isOriginSecret } from '../../data/connections/origin-secret';
import { Refusal } from '../../domain/refusal';
import { headerIn, type ConnectEvent } from '../sockets/connect-event';

/**
 * Refuses handshakes that did not come through CloudFront: the WebSocket API's own address bypasses the web ACL and its rate
 * rule (CloudFront developer guide, "Restrict access to Application Load Balancers", which works for any origin).
 * @throws Refusal `forbidden`
 */
export function expectCloudFront(event: ConnectEvent): void {
  if (!isOriginSecret(headerIn(event, ORIGIN_VERIFY) ?? '')) throw new Refusal('forbidden');
}
