/** What `npm start -- --faults <file>` names: which faults the stack on one machine has at the moment. */
import { readFileSync, statSync } from 'node:fs';
import * as z from 'zod';

/** How many of the calls it befalls: 0 none, 1 all, and by chance in between. */
const share = z.number().min(0).max(1);
const ms = z.number().int().min(0).max(900_000);

const faultSettings = z.strictObject({
  dynamodb: z
    .strictObject({
      /** Calls that are throttled. */
      throttled: share.optional(),
      /** Writes that meet a transaction on the same item. */
      conflicting: share.optional(),
      /** Calls are done, and answered so much later. */
      slowMs: ms.optional(),
      /** No call is done. */
      down: z.boolean().optional(),
    })
    .default({}),
  streams: z
    .strictObject({
      /** Every batch is handed over twice. */
      repeated: z.boolean().optional(),
      /** Every batch is handed over so much later. */
      lateMs: ms.optional(),
    })
    .default({}),
  iot: z.strictObject({ failing: share.optional(), slowMs: ms.optional() }).default({}),
  connections: z.strictObject({ failing: share.optional(), slowMs: ms.optional() }).default({}),
  cognito: z.strictObject({ down: z.boolean().optional() }).default({}),
  functions: z
    .strictObject({
      /** Invocations whose instance is killed half-way, of the functions whose names begin so; without a name of all. */
      killed: z.strictObject({ name: z.string().default(''), share }).optional(),
    })
    .default({}),
});

export type FaultSettings = z.output<typeof faultSettings>;

/** What a file of faults may hold. */
export type FaultsFile = z.input<typeof faultSettings>;

export const noFaultSettings: FaultSettings = faultSettings.parse({});

/**
 * Reads a file of faults.
 * @throws Error in one line that names the file and each fault of it
 */
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
 * Gives the faults of a file as it is at each call, so that they can be switched while the stack runs: best by renaming
 * another file to its name. A file that has become wrong, or is gone, is complained about once and changes nothing.
 * @throws Error as `readFaults`, if it is wrong from the start
 */
export function followFaults(file: string): () => FaultSettings {
  let seen = stampOf(file);
  let settings = readFaults(file);
  return () => {
    const stamp = stampOf(file);
    if (stamp === seen) return settings;
    seen = stamp;
    try {
      settings = readFaults(file);
    } catch (error) {
      console.error(error instanceof Error ? error.message : error);
    }
    return settings;
  };
}

/** Differs between two files of one name, and before and after a write. */
function stampOf(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false, bigint: true });
  return found ? `${found.ino} ${found.mtimeNs} ${found.size}` : '';
}
