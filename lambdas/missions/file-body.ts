import { unsupportedMediaType } from '../../contract/refusals';
import { invalid } from '../../domain/values/refusal';
import { withFileSeat } from '../../data/missions/file-seats';
import { expectUtf8, mediaTypeIn, type Step } from '../serve/request';

/**
 * Step of an endpoint whose body is a file: its media type is one of the endpoint's, its bytes are those that were sent,
 * and its organisation has a seat while it is read and stored.
 * @throws Refusal `unsupported_media_type`, `invalid_request` without a file, or with a text that API Gateway could not
 *   read; those of `withFileSeat`
 */
export const fileBody: Step = (exchange, event, next) => {
  const { file = [] } = exchange.endpoint.request;
  const given = mediaTypeIn(event)?.essence;
  const mediaType = file.find((one) => one === given);
  if (mediaType === undefined) throw unsupportedMediaType(file);
  expectUtf8(event);
  if (!event.body) throw invalid('', 'a file is required');
  // API Gateway puts it where a text was not UTF-8. A file in base64 has all of its bytes.
  if (!event.isBase64Encoded && event.body.includes('\uFFFD'))
    throw invalid('', 'the file is not UTF-8: it has U+FFFD, which stands for what could not be read');
  exchange.file = { mediaType, content: Buffer.from(event.body, event.isBase64Encoded ? 'base64' : 'utf8') };
  return exchange.caller ? withFileSeat(exchange.caller.organisation, next) : next();
};
