import { join } from 'node:path';
import { spawn } from 'node:child_process';
import type { ReadyStack, AwsAccess } from 'cloud-assembly-runner';
import { readJsonFile, replaceFile } from 'cloud-assembly-runner/data-folder/atomic-file';
import { partnersShape, type AppFacts, type Partner } from './stack-facts';
import { root } from './synthesis';

/**
 * Onboards the demo partners of `seed.json` with the command line that onboards real partners, against the local AWS
 * endpoint. Rejects with its error output when it fails, and when `stopped` aborts it.
 */
async function seed(access: AwsAccess, stopped: AbortSignal): Promise<readonly Partner[]> {
  const command = ['--import', 'tsx', join('bin', 'partner.ts'), 'onboard', '--file', join(__dirname, 'seed.json')];
  const child = spawn(process.execPath, [...command, '--json'], {
    cwd: root,
    signal: stopped,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      AWS_ENDPOINT_URL: access.endpointUrl,
      AWS_REGION: access.region,
      AWS_ACCESS_KEY_ID: access.accessKeyId,
      AWS_SECRET_ACCESS_KEY: access.secretAccessKey,
      AWS_SESSION_TOKEN: access.sessionToken,
      // A profile would take precedence over the access keys.
      AWS_PROFILE: undefined,
      STACK_NAME: access.stackName,
    },
  });
  const out: Buffer[] = [];
  const errors: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
  const printed = await new Promise<string>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve(Buffer.concat(out).toString());
      else reject(new Error(`Seeding failed:\n${Buffer.concat(errors).toString().trim()}`));
    });
  });
  return partnersShape.parse(JSON.parse(printed)).partners;
}

/** Onboards the demo partners unless an earlier start has. @returns the app's part of `stack.json`, without the demo flight */
export async function addDemoPartners(
  { dataFolder, outputs, access }: ReadyStack,
  stopped: AbortSignal,
  onboard = seed,
): Promise<Omit<AppFacts, 'demoFlightUrl'>> {
  const known = readPartners(dataFolder);
  const partners = known ?? (await onboard(access, stopped));
  if (!known) writePartners(dataFolder, partners);
  const { WebSocketUrl: wsUrl = null, ShareBaseUrl: shareBaseUrl = null, DocsUrl: docsUrl = null } = outputs;
  return { wsUrl, shareBaseUrl, docsUrl, partners };
}

/**
 * Partners that an earlier start onboarded; `undefined` when there are none.
 * @throws Error that names file, line and remedy when the file is invalid
 */
function readPartners(folder: string): readonly Partner[] | undefined {
  const remedy = `put back a copy of it, or remove ${folder} to start afresh`;
  return readJsonFile(join(folder, 'partners.json'), partnersShape, remedy)?.partners;
}

/** @throws Error in one line when the disk is full */
function writePartners(folder: string, partners: readonly Partner[]): void {
  replaceFile(join(folder, 'partners.json'), `${JSON.stringify({ partners }, null, 2)}\n`);
}
