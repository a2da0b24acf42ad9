import * as z from 'zod/mini';

const MAX_BYTES = 16 * 1024;
const MAX_DEPTH = 32;

export type Metadata = Record<string, unknown>;

const isObject = (value: unknown): value is Metadata =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Why a value can't be stored unchanged, or undefined when it can. */
function findProblem(value: unknown, depth = 1): string | undefined {
  if (typeof value === 'number' && !Number.isFinite(value)) return 'must hold only numbers that JSON can carry back';
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth > MAX_DEPTH) return `must not be nested deeper than ${MAX_DEPTH} levels`;
  for (const inner of Object.values(value)) {
    const found = findProblem(inner, depth + 1);
    if (found) return found;
  }
  return undefined;
}

/** Free-form data of the partner: a JSON object of at most 16 KiB and 32 levels (DESIGN: jobs). */
export const metadata = z.custom<Metadata>(isObject, { error: 'must be an object' }).check(
  z.superRefine((value, context) => {
    const message =
      findProblem(value) ??
      (Buffer.byteLength(JSON.stringify(value)) > MAX_BYTES ? `must not be larger than ${MAX_BYTES} bytes` : undefined);
    if (message) context.addIssue({ code: 'custom', message });
  }),
);
