import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { rootCertificates } from 'node:tls';

const credentials = z.object({
  clientId: z.string(),
  clientSecret: z.string(),
  apiKey: z.string(),
  deviceGroups: z.array(z.object({ deviceGroupId: z.string() })),
});

/**
 * Addresses of a deployment and credentials of at least one client, in the format of `partner onboard --json` and
 * `stack.json`.
 */
export const credentialsFile = z.object({
  baseUrl: z.string(),
  wsUrl: z.string().nullish(),
  mqttUrl: z.string().nullish(),
  /** PEM file of a certificate authority to trust beside the public ones; local stacks only. */
  caFile: z.string().optional(),
  partners: z.array(credentials).min(1),
});

/** Path of the file that describes the local stack; it exists while the stack runs. */
export const localStackFile = () => join(process.env['LOCAL_DIR'] ?? join(__dirname, '../../.local'), 'stack.json');

/** The content of that file; undefined when no local stack runs. */
export function readLocalStack(): unknown {
  const file = localStackFile();
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}

/**
 * Certificates of the authorities to trust: the public ones and the one of a PEM file.
 * @returns undefined without a file, which means the public ones only
 * @throws Error when the file can't be read
 */
export const trustedCertificates = (caFile: string | undefined): readonly string[] | undefined =>
  caFile === undefined ? undefined : [...rootCertificates, readFileSync(caFile, 'utf8')];
