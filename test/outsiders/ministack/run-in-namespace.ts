/**
 * Runs inside the namespace: starts the emulator, deploys, onboards a partner, runs the smoke test, flies a job with
 * the sample adapter, destroys, and deploys again. Prints a line for each; the last line starts with ✗ and has, as
 * JSON, the finding, if any.
 */
import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { accountId, region } from 'cloud-assembly-runner/cloudformation/template';
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import * as z from 'zod';
import { administrator, certificateIn, skippedParts, startEmulator } from './emulator';
import { root } from '../artifacts';
import { runCommand } from '../processes';

/** A finding: a third-party program, or this project's against it, failed. */
class Finding extends Error {
  override readonly name = 'Objection';
}

/** Timeout of a program, such as a deployment that waits for a custom resource forever. */
const TIMEOUT_MS = 120_000;
/** Maximum lines shown of a failed program, from its end. */
const SHOWN_LINES = 40;

/**
 * Runs a program of the project with this Node.js, and prints its duration.
 * @param title for people
 * @param args of Node.js
 * @param shown matches the lines to show when it fails; where none matches, its last lines are shown
 * @returns its output
 * @throws {Finding} when it ends with 1; Error when it ends otherwise or times out
 */
async function step(
  title: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  shown: RegExp,
): Promise<string> {
  const began = performance.now();
  const options = { cwd: root, env, exitCodes: [0, 1], timeoutMs: TIMEOUT_MS };
  const { exitCode, stdout, stderr } = await runCommand(process.execPath, args, options);
  if (exitCode !== 0) {
    const lines = `${stdout}\n${stderr}`.trimEnd().split('\n');
    const matching = lines.filter((line) => shown.test(line));
    throw new Finding([`${title}:`, ...(matching.length > 0 ? matching : lines).slice(-SHOWN_LINES)].join('\n'));
  }
  console.log(`${title}: ${((performance.now() - began) / 1000).toFixed(1)} s`);
  return stdout;
}

const WITHIN_MS = 60_000;
const POLL_MS = 500;

const onboarded = z.object({
  baseUrl: z.string(),
  partners: z.array(
    z.object({ organisationId: z.string(), clientId: z.string(), clientSecret: z.string(), apiKey: z.string() }),
  ),
});
const groups = z.object({ resources: z.array(z.object({ deviceGroupId: z.string(), name: z.string() })) });
const shownJob = z.object({ job: z.object({ jobId: z.string(), status: z.string() }) });

/**
 * Lets the sample adapter of a platform, which listens by a queue and a rule of its own, register a fleet and fly a job there.
 * @param python interpreter with boto3
 * @param env of the account's administrator
 * @param credentials file of the onboarded partner
 * @throws {Finding} with what the adapter printed, when the job does not end
 */
async function flyWithAdapter(
  work: string,
  python: string,
  env: ReturnType<typeof administrator>,
  credentials: string,
): Promise<void> {
  const began = performance.now();
  const { baseUrl, partners } = onboarded.parse(JSON.parse(readFileSync(credentials, 'utf8')));
  const [partner] = partners;
  if (!partner) throw new Error('no partner was onboarded');
  const words = ['--organisation', partner.organisationId, '--state', join(work, 'adapter.db'), '--speed', '20'];
  const bus = { AWS_DEFAULT_REGION: env.AWS_REGION, PLATFORM_BUS_ARN: await busArn(env) };
  // Otherwise Python writes its compiled files beside the sources.
  const variables = { ...env, ...bus, PYTHONDONTWRITEBYTECODE: '1' };
  const adapter = spawn(python, [join(root, 'packages/platform-kit/sample-adapter/adapter.py'), ...words], {
    env: variables,
  });
  let printed = '';
  for (const output of [adapter.stdout, adapter.stderr])
    output.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  const ended = once(adapter, 'close');
  try {
    const call = await caller(baseUrl, partner);
    const fleet = await until('its fleet', async () => {
      const { resources } = groups.parse(await call('GET', '/v3/resources'));
      return resources.find(({ name }) => name === 'Adapter north');
    });
    const body = { name: 'Adapter', deviceGroupId: fleet.deviceGroupId };
    const { job } = shownJob.parse(await call('POST', '/v3/jobs/create', body));
    await until('the end of the job', async () => {
      const { status } = shownJob.parse(await call('GET', `/v3/jobs/${job.jobId}`)).job;
      return status === 'COMPLETED' || undefined;
    });
    console.log(`a job flown by the sample adapter: ${((performance.now() - began) / 1000).toFixed(1)} s`);
  } catch (error) {
    throw new Finding(`the sample adapter: ${String(error)}\n${printed.slice(-2000)}`);
  } finally {
    adapter.kill('SIGKILL');
    await ended;
  }
}

async function busArn({ AWS_ENDPOINT_URL: endpoint, AWS_REGION: region, ...env }: ReturnType<typeof administrator>) {
  const credentials = { accessKeyId: env.AWS_ACCESS_KEY_ID, secretAccessKey: env.AWS_SECRET_ACCESS_KEY };
  const { Stacks } = await new CloudFormationClient({ endpoint, region, credentials }).send(
    new DescribeStacksCommand({}),
  );
  const outputs = (Stacks ?? []).flatMap(({ Outputs }) => Outputs ?? []);
  const found = outputs.find(({ OutputKey }) => OutputKey === 'PlatformBusArn')?.OutputValue;
  if (found === undefined) throw new Error('no stack has the output PlatformBusArn');
  return found;
}

type Partner = z.output<typeof onboarded>['partners'][number];

/** Calls of the REST API as a partner. */
async function caller(baseUrl: string, { clientId, clientSecret, apiKey }: Partner) {
  const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
  const answer = await fetch(`${baseUrl}/v3/auth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${basic}`, 'x-api-key': apiKey },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  const { access_token: token } = z.object({ access_token: z.string() }).parse(await answer.json());
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return async (method: string, path: string, body?: object): Promise<unknown> => {
    const options = body ? { body: JSON.stringify(body) } : {};
    return (await fetch(`${baseUrl}${path}`, { method, headers, ...options })).json();
  };
}

async function until<Found>(what: string, find: () => Promise<Found | undefined>): Promise<Found> {
  const deadline = performance.now() + WITHIN_MS;
  while (performance.now() < deadline) {
    const found = await find();
    if (found !== undefined) return found;
    await pause(POLL_MS);
  }
  throw new Error(`${what} did not come within ${WITHIN_MS / 1000} s`);
}

/** Private memory of all other processes of a program, in MB. Linux only. */
function memoryOfOthersMb(program: string): number {
  const own = String(process.pid);
  const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && name !== own);
  const kilobytes = processes.filter((id) => runs(id, program)).map(privateKilobytes);
  return Math.round(kilobytes.reduce((sum, one) => sum + one, 0) / 1024);
}

function runs(id: string, program: string): boolean {
  const [started = ''] = read(`/proc/${id}/cmdline`).split('\0');
  return basename(started) === basename(program) && link(`/proc/${id}/exe`) !== process.execPath;
}

const privateKilobytes = (id: string) =>
  Array.from(read(`/proc/${id}/smaps_rollup`).matchAll(/^Private_\w+:\s+(\d+) kB$/gm), ([, size]) =>
    Number(size),
  ).reduce((sum, one) => sum + one, 0);

/** Empty when the process has ended. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function link(file: string): string {
  try {
    return readlinkSync(file);
  } catch {
    return '';
  }
}

/** Exit code with a finding, for `lane.ts`. */
const FINDING_EXIT_CODE = 3;

/** The organisation of the smoke test: one client with all scopes, one with few. */
const onboarding = {
  organisations: [
    {
      name: 'Smoke test',
      deviceGroups: [{ name: 'North', devices: [{ name: 'North 1', stream: true }, { name: 'North 2' }] }],
      clients: [
        { name: 'all', scopes: ['all', 'command:control'] },
        { name: 'few', scopes: ['command:read'] },
      ],
    },
  ],
};

async function deployAndTest(work: string, python: string): Promise<void> {
  const env = administrator(work);
  const cdk = (title: string, ...words: string[]) =>
    step(title, ['node_modules/aws-cdk/bin/cdk', ...words, '--app', join(work, 'app')], env, /_FAILED|❌|Error:/);
  const deploy = ['deploy', '--require-approval', 'never', '--progress', 'events'];
  await cdk('cdk bootstrap', 'bootstrap', `aws://${accountId}/${region}`);
  await cdk('cdk deploy', ...deploy);
  const credentials = await runSmokeTest(work, env);
  await flyWithAdapter(work, python, env, credentials);
  const [emulator, functions] = [memoryOfOthersMb(python), memoryOfOthersMb('node')];
  console.log(`memory: ${emulator} MB for the emulator, ${functions} MB for functions`);
  await cdk('cdk destroy', 'destroy', '--force');
  // Retained resources must not block a new deployment.
  await cdk('cdk deploy, again', ...deploy);
}

/** @returns the file with the onboarded partner's credentials */
async function runSmokeTest(work: string, env: Readonly<Record<string, string>>): Promise<string> {
  const [wanted, onboarded] = [join(work, 'onboarding.json'), join(work, 'onboarded.json')];
  writeFileSync(wanted, JSON.stringify(onboarding));
  const partner = ['--import', 'tsx', 'bin/partner.ts', 'onboard', '--file', wanted, '--json'];
  writeFileSync(onboarded, await step('partner onboard', partner, env, /^partner:/), { mode: 0o600 });
  const options = ['--credentials', onboarded, '--ca-file', certificateIn(work)];
  const without = ['--without', Object.keys(skippedParts).join()];
  const smoke = ['--require', 'tsx/cjs', 'bin/smoke.ts', ...options, ...without];
  const story = await step('smoke', smoke, env, /^(FAIL|smoke:|\d+ ok)/);
  console.log(story.trimEnd().split('\n').at(-1) ?? '');
  return onboarded;
}

async function main(work: string, python: string, nodeFolder: string): Promise<void> {
  const emulator = await startEmulator(work, python, nodeFolder);
  try {
    await deployAndTest(work, python);
  } finally {
    await emulator.stop();
  }
}

const [work = '', python = '', nodeFolder = ''] = process.argv.slice(2);
main(work, python, nodeFolder).catch((error: unknown) => {
  const text = error instanceof Error ? error.message : String(error);
  if (error instanceof Finding) console.log(`✗ ${JSON.stringify(text)}`);
  else console.error(text);
  process.exitCode = error instanceof Finding ? FINDING_EXIT_CODE : 1;
});
