import * as z from 'zod/mini';
import { freeForm } from './free-form';

const MAX_BYTES = 16 * 1024;

export type Metadata = Record<string, unknown>;

const isObject = (value: unknown): value is Metadata =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Free-form data of the partner, as it is stored. */
export const storedMetadata = z.custom<Metadata>(isObject, { error: 'must be an object' });

/**
 * Free-form data that a partner sends: a JSON object of at most 16 KiB and 32 levels (DESIGN: jobs). Marked as pure, so that
 * functions that only read it don't load the check.
 */
export const metadata = /* @__PURE__ */ storedMetadata.check(/* @__PURE__ */ freeForm(MAX_BYTES));
