/**
 * Which payloads are binary: API Gateway developer guide, "Binary media types for REST APIs in API Gateway", "Content type
 * conversions in API Gateway" and "Return binary media from a Lambda proxy integration in API Gateway".
 */
import * as z from 'zod';

/** All media types. */
export const ANY_TYPE = '*/*';

/** CloudFormation writes `~1` for a slash (AWS::ApiGateway::RestApi, "BinaryMediaTypes"), the CDK does not. */
const mediaType = z
  .string()
  .transform((type) => type.replace('~1', '/'))
  .refine((type) => type === ANY_TYPE || /^[a-z0-9][a-z0-9.+-]*\/[a-z0-9][a-z0-9.+-]*$/.test(type), {
    error: `a binary media type on this machine is ${ANY_TYPE}, or a type in lower case without wildcards and parameters`,
  });

/** The list of an API. "Duplicates are not allowed." */
export const binaryMediaTypes = z.array(mediaType).refine((types) => new Set(types).size === types.length, {
  error: 'a binary media type is repeated',
});

export type BinaryMediaTypes = readonly z.infer<typeof mediaType>[];

/**
 * Whether the list has the media type of a header.
 * @param header `Content-Type`, or `Accept`, of which only the first media type counts; JSON if there is none
 */
export function areBinary(types: BinaryMediaTypes, header = 'application/json'): boolean {
  const type = header.split(/[,;]/)[0]?.trim().toLowerCase() ?? '';
  return types.includes(ANY_TYPE) || types.includes(type);
}

/**
 * Decodes base64 text that becomes a binary payload; undefined for other text, with which API Gateway "returns a 500
 * response, which indicates an API configuration error".
 */
export function decodeBase64(text: string): Buffer | undefined {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text) ? Buffer.from(text, 'base64') : undefined;
}
