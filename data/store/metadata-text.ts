import type { Metadata } from '../../domain/metadata';

/** Metadata is kept as JSON text: DynamoDB's own types would bend it (depth, numbers, empty keys). */
export const metadataText = (metadata: Metadata | undefined) => metadata && JSON.stringify(metadata);

/** Metadata as it was read; what is no text is left for the schema to refuse. */
export const readMetadata = (kept: unknown): unknown => (typeof kept === 'string' ? JSON.parse(kept) : kept);
