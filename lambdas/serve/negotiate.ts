import Negotiator from 'negotiator';
import { notAcceptable } from '../../contract/refusals';
import { headerList, type Event, type Exchange } from './request';

/** A parameter of a media type other than its weight: a format is the same with a charset or a version. */
const PARAMETER = /;\s*(?!q\s*=)[\w!#$%&'*+.^`|~-]+(?:\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^\s;,]*))?/gi;

/**
 * Step of an endpoint that offers several media types: selects that of the reply by the parameter `format`, else by `Accept` (RFC 9110
 * section 12.5.1).
 * @throws Refusal `not_acceptable`
 */
export function negotiate(exchange: Exchange, event: Event): void {
  const { mediaTypes = [], formats } = exchange.endpoint.reply;
  const { format } = exchange.query as { readonly format?: string };
  exchange.headers['Vary'] = 'Accept';
  const accept = headerList(event, 'accept')?.replaceAll(PARAMETER, '');
  const chosen =
    format === undefined
      ? new Negotiator({ headers: accept ? { accept } : {} }).mediaType([...mediaTypes])
      : formats?.[format];
  exchange.firstAccepted = accept?.split(/[,;]/)[0]?.trim().toLowerCase();
  if (chosen === undefined) throw notAcceptable(mediaTypes);
  exchange.mediaType = chosen;
}
