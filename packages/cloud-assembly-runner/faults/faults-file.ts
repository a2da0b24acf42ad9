/** The file of `npm start -- --faults <file>`, which lists the active faults. */
import { readFileSync, statSync } from 'node:fs';
import * as z from 'zod';

/** Probability from 0 to 1. */
const share = z.number().min(0).max(1);
const ms = z.number().int().min(0).max(900_000);

/** Calls fail without being made, some or all; the others are made, and answered after a delay. */
const failing = z.strictObject({ failing: share.optional(), slowMs: ms.optional(), down: z.boolean().optional() });

export const faultSettings = z.strictObject({
  dynamodb: z
    .strictObject({
      throttled: share.optional(),
      /** Writes that conflict with a transaction on the same item. */
      conflicting: share.optional(),
      /** Calls are made, but answered after this delay. */
      slowMs: ms.optional(),
      /** Calls fail without being made. */
      down: z.boolean().optional(),
    })
    .default({}),
  streams: z
    .strictObject({
      /** Every batch is delivered twice. */
      repeated: z.boolean().optional(),
      /** Every batch is delivered after this delay. */
      lateMs: ms.optional(),
    })
    .default({}),
  iot: z
    .strictObject({
      failing: share.optional(),
      slowMs: ms.optional(),
      /** Events about connections and subscriptions that reach no rule. */
      lifecycleEventsLost: share.optional(),
      /** New connections are authorised again after each such time, instead of what the authorizer says (300 s or more). */
      refreshMs: ms.min(100).optional(),
    })
    .default({}),
  connections: z.strictObject({ failing: share.optional(), slowMs: ms.optional() }).default({}),
  events: failing
    .extend({
      /** Entries of PutEvents that fail in a call that succeeds. */
      failingEntries: share.optional(),
    })
    .default({}),
  sqs: failing.default({}),
  scheduler: failing.default({}),
  /** Retries that last for minutes in an account, made quick. */
  retries: z
    .strictObject({
      /** A failed event of a function, or message of a queue, is tried again after this time at most. */
      afterMs: ms.optional(),
      /** A batch of a stream whose delivery fails is given up after this time, whatever the mapping says. */
      streamsForMs: ms.optional(),
    })
    .default({}),
  /** Requests to REST APIs that meet the throttle of the account. */
  restApi: z.strictObject({ throttled: share.optional() }).default({}),
  cognito: z.strictObject({ down: z.boolean().optional() }).default({}),
  functions: z
    .strictObject({
      /** Invocations whose instance is killed, of functions with this name prefix (default: all). */
      killed: z.strictObject({ name: z.string().default(''), share }).optional(),
      /** Invocations that meet the concurrency of the account. */
      throttled: share.optional(),
    })
    .default({}),
});

export type FaultSettings = z.output<typeof faultSettings>;

/** Content of a faults file. */
export type FaultsFile = z.input<typeof faultSettings>;

export const noFaultSettings: FaultSettings = faultSettings.parse({});

/** @throws Error in one line that names the file and each invalid setting */
export function readFaults(file: string): FaultSettings {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new Error(`--faults ${file}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
  const parsed = faultSettings.safeParse(content);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map(({ path, message }) => [path.join('.'), message].filter(Boolean).join(': '));
  throw new Error(`--faults ${file}: ${issues.join('; ')}`);
}

/**
 * Returns the faults of a file as it is at each call, so that they can be changed while the stack runs, best by
 * renaming another file to its name. If the file becomes invalid or is deleted, this is logged once and the faults stay
 * as they are.
 * @throws Error as `readFaults`, if the file is invalid at the start
 */
export function followFaults(file: string): () => FaultSettings {
  let lastVersion = fileVersion(file);
  let settings = readFaults(file);
  return () => {
    const version = fileVersion(file);
    if (version === lastVersion) return settings;
    lastVersion = version;
    try {
      settings = readFaults(file);
    } catch (error) {
      console.error(error instanceof Error ? error.message : error);
    }
    return settings;
  };
}

/** Changes when the file is replaced or written. */
function fileVersion(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false, bigint: true });
  return found ? `${found.ino} ${found.mtimeNs} ${found.size}` : '';
}
