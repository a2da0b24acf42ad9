import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { DroneMissionClient } from 'drone-mission-client';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StackFacts } from '../../../bin/start/stack-facts';
import { startStack, stopStack, type RunningStack } from '../../api/stack/running-stack';
import { until } from '../../channels/until';
import { runCommand } from '../../outsiders/processes';
import { pythonWith } from '../../outsiders/install';

const root = join(__dirname, '../../..');
const adapterFolder = join(root, 'packages/platform-kit/sample-adapter');

/** The interpreter with the packages of the sample adapter. @throws NotInstalled */
const adapterPython = () => pythonWith('platform-adapter', join(adapterFolder, 'requirements.txt'));

/** Variables with which a platform finds the bus of a stack on this machine, as docs/platform.md sets them. */
async function busVariables(stackFolder: string) {
  const { endpointUrl, region, stackName, accessKeyId, secretAccessKey } = JSON.parse(
    readFileSync(join(stackFolder, 'aws.json'), 'utf8'),
  ) as Record<string, string>;
  const credentials = { accessKeyId: accessKeyId ?? '', secretAccessKey: secretAccessKey ?? '' };
  const client = new CloudFormationClient({ endpoint: endpointUrl ?? '', region: region ?? '', credentials });
  const { Stacks } = await client.send(new DescribeStacksCommand({ StackName: stackName }));
  const bus = Stacks?.[0]?.Outputs?.find(({ OutputKey }) => OutputKey === 'PlatformBusArn')?.OutputValue;
  return {
    AWS_ENDPOINT_URL: endpointUrl,
    AWS_DEFAULT_REGION: region,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    PLATFORM_BUS_ARN: bus,
  };
}

/** The sample adapter as a process that can be killed and started again. */
class AdapterProcess {
  private child: ChildProcess | undefined;
  /** Everything that it has printed, of all its runs. */
  printed = '';

  constructor(
    private readonly python: string,
    private readonly words: readonly string[],
    private readonly variables: NodeJS.ProcessEnv,
  ) {}

  start(): void {
    const env = { ...process.env, ...this.variables, PYTHONDONTWRITEBYTECODE: '1' };
    this.child = spawn(this.python, [join(adapterFolder, 'adapter.py'), ...this.words], { env });
    for (const output of [this.child.stdout, this.child.stderr])
      output?.on('data', (chunk: Buffer) => (this.printed += chunk.toString()));
  }

  /** Kills it, as a power cut would. */
  async kill(): Promise<void> {
    if (!this.child || this.child.exitCode !== null) return;
    const ended = once(this.child, 'close');
    this.child.kill('SIGKILL');
    await ended;
  }
}

const pythonClient = join(__dirname, '../../../clients/python');

let stack: RunningStack;
let client: DroneMissionClient;
let adapter: AdapterProcess;
let state: string;

beforeAll(async () => {
  stack = await startStack();
  const facts = JSON.parse(readFileSync(join(stack.folder, 'stack.json'), 'utf8')) as StackFacts;
  const [partner] = facts.partners;
  if (!partner) throw new Error('The stack has no partner');
  const { clientId, clientSecret, apiKey, organisationId } = partner;
  client = new DroneMissionClient({ baseUrl: facts.baseUrl, clientId, clientSecret, apiKey });
  state = mkdtempSync(join(tmpdir(), 'platform-adapter-'));
  const words = ['--organisation', organisationId, '--state', join(state, 'state.db'), '--speed', '10'];
  adapter = new AdapterProcess(await adapterPython(), words, await busVariables(stack.folder));
  adapter.start();
});
afterAll(async () => {
  await adapter.kill();
  rmSync(state, { recursive: true });
  await stopStack(stack);
});

const fleet = async () => {
  const groups = await client.deviceGroups.list();
  return groups.filter(({ name }) => name.startsWith('Adapter '));
};

/** The registered fleet: two groups, of two devices and of one. */
const wholeFleet = () =>
  until(
    'the registration of the fleet',
    async () => {
      const groups = await fleet();
      return groups.flatMap(({ devices }) => devices).length === 3 ? groups : undefined;
    },
    () => adapter.printed,
  );

async function givenGroup(devices: number) {
  const group = (await wholeFleet()).find((each) => each.devices.length === devices);
  if (!group) throw new Error('The adapter has no such group');
  return group.deviceGroupId;
}

const untilJob = (jobId: string, status: string) =>
  until(
    `${status} of ${jobId}`,
    async () => {
      const job = await client.jobs.get(jobId);
      return job.status === status ? job : undefined;
    },
    () => adapter.printed,
  );

/** The states that a job has had, in their order, once it has ended: the log has a change a little later than the job. */
const statesOf = (jobId: string) =>
  until(`the end of ${jobId} in the log`, async () => {
    const events = await client.jobs.events(jobId);
    const states = events.flatMap((event) => ('jobState' in event ? [event.jobState] : []));
    return states.at(-1) === 'COMPLETED' ? states : undefined;
  });

/** How often the adapter has said that a job had a status. */
const timesReported = (jobId: string, status: string) =>
  adapter.printed.split('\n').filter((line) => line.includes(jobId) && line.includes(` ${status}`)).length;

const flown = ['PENDING', 'QUEUED', 'IN_PROGRESS', 'COMPLETED'];

describe('The sample adapter of a platform', () => {
  test('is clean by the rules of the Python client', async () => {
    const python = await pythonWith('python-client', join(pythonClient, 'requirements.txt'));
    const cache = join(__dirname, '../../../node_modules/.cache/mypy-adapter');
    for (const args of [
      ['-m', 'ruff', 'check', '--no-cache', '.'],
      ['-m', 'ruff', 'format', '--no-cache', '--check', '.'],
      ['-m', 'mypy', '--cache-dir', cache],
    ])
      await runCommand(python, args, { cwd: adapterFolder });
  });

  test('can be read: no file has more than 200 lines', () => {
    const text = readFileSync(join(adapterFolder, 'adapter.py'), 'utf8');
    expect(text.split('\n').length).toBeLessThanOrEqual(201);
  });

  test('flies a job, which leaves a track', async () => {
    const { jobId } = await client.jobs.create({ name: 'Survey', deviceGroupId: await givenGroup(2) });
    expect((await untilJob(jobId, 'COMPLETED')).deviceId).toMatch(/^device-/);
    expect(await statesOf(jobId)).toEqual(flown);
    const track = await client.jobs.track(jobId, { format: 'csv' });
    expect(track.trim().split('\n').length).toBeGreaterThan(2);
  });

  test('loses and doubles nothing when it is killed in flight', async () => {
    const { jobId } = await client.jobs.create({ name: 'Survey', deviceGroupId: await givenGroup(2) });
    await untilJob(jobId, 'IN_PROGRESS');
    await adapter.kill();
    const waiting = await client.jobs.create({ name: 'Meanwhile', deviceGroupId: await givenGroup(2) });
    expect((await client.jobs.get(jobId)).status).toBe('IN_PROGRESS');
    adapter.start();
    for (const id of [jobId, waiting.jobId]) {
      await untilJob(id, 'COMPLETED');
      expect(await statesOf(id)).toEqual(flown);
      for (const status of flown.slice(1)) expect([id, status, timesReported(id, status)]).toEqual([id, status, 1]);
    }
    expect(await fleet()).toHaveLength(2);
  });

  test('loses nothing when it is killed again and again', async () => {
    const { jobId } = await client.jobs.create({ name: 'Survey', deviceGroupId: await givenGroup(1) });
    for (const status of ['QUEUED', 'IN_PROGRESS', 'COMPLETED']) {
      await until(
        `${status} of ${jobId}`,
        () => (timesReported(jobId, status) > 0 ? true : undefined),
        () => adapter.printed,
      );
      await adapter.kill();
      adapter.start();
    }
    await untilJob(jobId, 'COMPLETED');
    expect(await statesOf(jobId)).toEqual(flown);
  });

  test('does not fly a job that was cancelled, and stops one that is deleted', async () => {
    const deviceGroupId = await givenGroup(1);
    const first = await client.jobs.create({ name: 'Deleted in flight', deviceGroupId });
    await untilJob(first.jobId, 'IN_PROGRESS');
    const second = await client.jobs.create({ name: 'Cancelled', deviceGroupId });
    await client.jobs.cancel(second.jobId);
    const third = await client.jobs.create({ name: 'Flown', deviceGroupId });
    await client.jobs.delete(first.jobId);
    await untilJob(third.jobId, 'COMPLETED');
    expect((await client.jobs.get(second.jobId)).status).toBe('CANCELLED');
    expect(timesReported(second.jobId, 'IN_PROGRESS')).toBe(0);
    expect(timesReported(first.jobId, 'COMPLETED')).toBe(0);
  });

  test('begins a job when it is due, and reports why one failed', async () => {
    const scheduledAt = new Date(Date.now() + 4000).toISOString();
    const job = {
      name: 'Later',
      deviceGroupId: await givenGroup(1),
      scheduledAt,
      metadata: { simulate: 'low-battery' },
    };
    const { jobId } = await client.jobs.create(job);
    await untilJob(jobId, 'QUEUED');
    const { reportedAt = '' } = await untilJob(jobId, 'IN_PROGRESS');
    expect(Date.parse(reportedAt)).toBeGreaterThanOrEqual(Date.parse(scheduledAt));
    expect(await untilJob(jobId, 'FAILED')).toMatchObject({ reason: 'LOW_BATTERY' });
  });
});
