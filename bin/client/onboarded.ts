import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';

const credentials = z.object({
  clientId: z.string(),
  clientSecret: z.string(),
  apiKey: z.string(),
  deviceGroups: z.array(z.object({ deviceGroupId: z.string() })),
});

/**
 * What a partner has been handed over, in the form that `partner onboard --json` prints and `stack.json` has: addresses,
 * and the credentials of at least one client.
 */
export const onboarded = z.object({
  baseUrl: z.string(),
  wsUrl: z.string().nullish(),
  mqttUrl: z.string().nullish(),
  /** Certificate authority beside the public ones, in PEM; only a stack on one machine has its own. */
  caFile: z.string().optional(),
  partners: z.array(credentials).min(1),
});

/** Where `npm start` describes the stack that it runs; the file is there while it runs. */
export const localStackFile = () => join(process.env['LOCAL_DIR'] ?? join(__dirname, '../../.local'), 'stack.json');

/** The content of the file of the stack that runs here, undefined when none does. */
export function readLocalStack(): unknown {
  const file = localStackFile();
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}
