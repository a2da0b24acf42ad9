import type { Metadata } from '../../domain/values/metadata';

/** Metadata is stored as JSON text, since DynamoDB's types would alter it (depth, numbers, empty keys). */
export const metadataText = (metadata: Metadata | undefined) => metadata && JSON.stringify(metadata);

/** Parses stored metadata; anything but text is passed on for the schema to refuse. */
export const readMetadata = (stored: unknown): unknown => (typeof stored === 'string' ? JSON.parse(stored) : stored);
