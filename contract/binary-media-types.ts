import { mediaTypeOf } from '../domain/mission-record';

/**
 * Media types of bodies that are no text. To API Gateway any other is text in UTF-8, which would break a file (developer guide, "Working
 * with binary media types for REST APIs").
 */
export const binaryMediaTypes: readonly string[] = [mediaTypeOf.WPML];
