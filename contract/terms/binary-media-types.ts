import { formatMediaTypes } from '../../domain/missions/mission-record';

/** Media types of bodies that are no text, to whoever reads the documents. */
export const nonTextMediaTypes: readonly string[] = [formatMediaTypes.WPML];

/**
 * Media types of which API Gateway passes each byte on. Any other is text in UTF-8 to it, and what is none becomes
 * U+FFFD (developer guide, "Working with binary media types for REST APIs"). A plan is JSON, as are all other bodies,
 * so it can't be here.
 */
export const binaryMediaTypes: readonly string[] = [
  formatMediaTypes.GEOJSON,
  formatMediaTypes.KML,
  formatMediaTypes.WPML,
];
