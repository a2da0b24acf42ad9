import { ORIGIN_VERIFY } from '../../contract/origin-verify';
import { isOriginSecret } from '../../data/connections/origin-secret';
import { Refusal } from '../../domain/refusal';
import { headerIn, type ConnectEvent } from '../channel/connect-event';

/**
 * Lets in only what CloudFront hands on: whoever goes to the WebSocket API's own address is past the web ACL and its rate
 * rule (CloudFront developer guide, "Restrict access to Application Load Balancers", which works for any origin).
 * @throws Refusal `forbidden`
 */
export function expectCloudFront(event: ConnectEvent): void {
  if (!isOriginSecret(headerIn(event, ORIGIN_VERIFY) ?? '')) throw new Refusal('forbidden');
}
