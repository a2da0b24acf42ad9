import Negotiator from 'negotiator';
import { notAcceptable } from '../../contract/refusals';
import { header, type Event, type Exchange } from './request';

/**
 * Selects the media type of the reply by `Accept` (RFC 9110 section 12.5.1), if the endpoint offers several.
 * @throws Refusal `not_acceptable`
 */
export function negotiate(exchange: Exchange, event: Event): void {
  const { mediaTypes } = exchange.endpoint.reply;
  if (!mediaTypes) return;
  exchange.headers['Vary'] = 'Accept';
  const accept = header(event, 'accept');
  const chosen = new Negotiator({ headers: accept ? { accept } : {} }).mediaType([...mediaTypes]);
  if (chosen === undefined) throw notAcceptable(mediaTypes);
  exchange.mediaType = chosen;
}
