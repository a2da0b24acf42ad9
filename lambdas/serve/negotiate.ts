import Negotiator from 'negotiator';
import { binaryMediaTypes } from '../../contract/terms/binary-media-types';
import { notAcceptable } from '../../contract/refusals';
import { headerList, headerValues, type Event, type Step } from './request';

/** A parameter of a media type other than its weight: a format is the same with a charset or a version. */
const PARAMETER = /;\s*(?!q\s*=)[\w!#$%&'*+.^`|~-]+(?:\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^\s;,]*))?/gi;

/**
 * Step of an endpoint that offers several media types: selects that of the reply by the parameter `format`, else by
 * `Accept` (RFC 9110 section 12.5.1).
 * @throws Refusal `not_acceptable`
 */
export const negotiate: Step = (exchange, event, next) => {
  const { mediaTypes = [], formats } = exchange.endpoint.reply;
  const { format } = exchange.query as { readonly format?: string };
  exchange.headers['Vary'] = 'Accept';
  const accept = headerList(event, 'accept')?.replaceAll(PARAMETER, '');
  const chosen =
    format === undefined
      ? new Negotiator({ headers: accept ? { accept } : {} }).mediaType([...mediaTypes])
      : formats?.[format];
  exchange.acceptsBinary = acceptsBinary(event);
  if (chosen === undefined) throw notAcceptable(mediaTypes);
  exchange.mediaType = chosen;
  return next();
};

/**
 * Whether API Gateway decodes a reply in base64 for the caller: if the first type of `Accept` is in its list (developer
 * guide, "Content type conversions in API Gateway"). To others it sends the base64. Not documented is what it does with
 * another case, or with `Accept` given twice, so both are a no.
 */
function acceptsBinary(event: Event): boolean {
  const [accept = '', ...others] = headerValues(event, 'accept');
  const [first = ''] = accept.split(/[,;]/, 1);
  return others.length === 0 && binaryMediaTypes.includes(first.trim());
}
