import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { Failure } from '../command-line/failure';

/** Written by the local stack: the endpoint and credentials of its AWS APIs. */
const localAws = z.object({
  endpointUrl: z.url(),
  region: z.string(),
  accessKeyId: z.string(),
  secretAccessKey: z.string(),
  stackName: z.string(),
});

const localFacts = z.object({ caFile: z.string() });

/** The stack that runs on this machine. */
export interface LocalStack {
  readonly stackName: string;
  /** PEM file of the certificate authority that its MQTT endpoint needs; undefined until the stack is ready. */
  readonly caFile: string | undefined;
}

/**
 * Configures this process for the stack that runs on this machine (`AWS_*`).
 * @throws Failure when none runs
 */
export async function useLocalStack(): Promise<LocalStack> {
  const folder = process.env['LOCAL_DIR'] ?? '.local';
  const file = join(folder, 'aws.json');
  const found = await readJson(file, localAws);
  if (!found) throw new Failure(`no local stack is running (${file} does not exist): start it with \`npm start\``);
  const { endpointUrl, region, accessKeyId, secretAccessKey, stackName } = found;
  // A profile or session token would take precedence over these keys.
  delete process.env['AWS_PROFILE'];
  delete process.env['AWS_SESSION_TOKEN'];
  Object.assign(process.env, {
    AWS_ENDPOINT_URL: endpointUrl,
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
  });
  return { stackName, caFile: (await readJson(join(folder, 'stack.json'), localFacts))?.caFile };
}

/** The content of a file that `npm start` writes; undefined when it does not exist. */
async function readJson<T>(file: string, shape: z.ZodType<T>): Promise<T | undefined> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    return shape.parse(JSON.parse(text));
  } catch {
    // The cause is not repeated: the files hold secrets.
    throw new Failure(`${file} is not what \`npm start\` writes: stop the stack and start it again`);
  }
}
