import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod';
import { root } from '../assemblies';
import type { administrator } from './emulator';
import { Finding } from './step';

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
export async function flyWithAdapter(
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
