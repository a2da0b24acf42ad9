import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { follow, subscribeToJobs, type Listener } from './channel-listeners';
import { median, percentile, type Measured, type Measurement } from './figure';
import { startLocalStack, type LocalStack } from './local-stack';
import { onboardClients, type ChannelClient } from './many-clients';
import { platformSide, type PlatformSide, type Report } from './platform-side';

const root = join(__dirname, '..');
const JOBS = 50;
const REPEATED_JOBS = 10;
const REPEATS = 20;
/** A report that comes too early comes again after a minute, in ms. */
const PATIENCE = 150_000;

interface Given {
  readonly stack: LocalStack;
  readonly client: ChannelClient;
  readonly platform: PlatformSide;
  /** Data folder of the stack. */
  readonly folder: string;
}

/** A job for tomorrow: the fleet notes it, and leaves it alone. */
async function newJob(client: ChannelClient): Promise<string> {
  const scheduledAt = new Date(Date.now() + 86_400_000).toISOString();
  const body = { name: 'Survey', deviceGroupId: client.deviceGroupId, scheduledAt };
  const { job } = (await client.call('POST /v3/jobs/create', {}, body)) as { job: { jobId: string } };
  return job.jobId;
}

/** From the call that creates a job until the simulated platform has noted it in its own table. */
async function toPlatform({ client, platform }: Given): Promise<Measured[]> {
  const times: number[] = [];
  for (let index = 0; index < JOBS; index++) {
    const begin = performance.now();
    const jobId = await newJob(client);
    while (!(await platform.hasHeardOf(jobId))) await pause(2);
    times.push(performance.now() - begin);
    await pause(100);
  }
  return [
    {
      figure: 'call that creates a job → platform has noted it',
      measured: `median ${median(times).toFixed(0)} ms, p95 ${percentile(times, 95).toFixed(0)} ms of ${JOBS}`,
      mustBe: 'p95 under 300 ms',
      ok: percentile(times, 95) < 300,
    },
  ];
}

const report = (jobId: string, status: string): Report => ({
  type: 'job.status.reported',
  detail: { jobId, status, at: new Date().toISOString() },
});

/** The same event so many times, one half of them at once, and in further events. */
async function repeat(platform: PlatformSide, told: Report): Promise<void> {
  const id = randomUUID();
  await Promise.all(Array.from({ length: REPEATS / 2 }, () => platform.handOver(id, told)));
  for (let index = 0; index < REPEATS / 2; index++) await platform.handOver(id, told);
  await Promise.all([platform.say(told), platform.say(told)]);
}

/** What followers of a job heard beside the state in which it was created, as `state/sequence`. */
const changesIn = ({ heard }: Listener) =>
  heard
    .filter(({ jobState }) => jobState !== 'PENDING')
    .map(({ jobState, sequence }) => `${jobState}/${sequence}`)
    .join(' ');

async function isQuiet({ platform }: Given): Promise<void> {
  const deadline = performance.now() + PATIENCE;
  while (!(await platform.isQuiet())) {
    if (performance.now() > deadline) throw new Error('what the platform said is not worked on');
    await pause(100);
  }
  // What has changed is said by then.
  await pause(1000);
}

/** Reports of every kind, each repeated, in the wrong order; each may have one effect at most. */
async function onceEach(given: Given): Promise<Measured[]> {
  const { stack, client, platform } = given;
  const followed = await Promise.all(
    Array.from({ length: REPEATED_JOBS }, async () => {
      const jobId = await newJob(client);
      const listeners = [
        await follow(stack.facts, client, { kind: 'job', id: jobId }),
        await subscribeToJobs(stack.facts, client, [jobId]),
      ];
      return { jobId, listeners };
    }),
  );
  const all = async (status: string) => {
    await Promise.all(followed.map(({ jobId }) => repeat(platform, report(jobId, status))));
  };
  await all('QUEUED');
  await isQuiet(given);
  // The end before the middle: it has to wait for it.
  await Promise.all(followed.map(({ jobId }) => platform.say(report(jobId, 'COMPLETED'))));
  await all('IN_PROGRESS');
  await isQuiet(given);
  for (const status of ['QUEUED', 'IN_PROGRESS', 'FAILED', 'CANCELLED', 'COMPLETED']) await all(status);
  await isQuiet(given);

  const right = 'QUEUED/2 IN_PROGRESS/3 COMPLETED/4';
  const outcomes = await Promise.all(
    followed.map(async ({ jobId, listeners }) => {
      const { job } = (await client.call('GET /v3/jobs/{jobId}', { jobId })) as { job: { version: number } };
      return job.version === 4 && listeners.every((listener) => changesIn(listener) === right);
    }),
  );
  for (const { listeners } of followed) for (const listener of listeners) listener.close();
  const count = outcomes.filter(Boolean).length;
  return [
    {
      figure: `events ${REPEATS + 2} times each, also late, early and contradictory, to ${REPEATED_JOBS} jobs`,
      measured: `${count} of ${REPEATED_JOBS} jobs changed once and said so once, over WSS and MQTTS`,
      mustBe: 'all',
      ok: count === REPEATED_JOBS,
    },
  ];
}

/** `npm run partner -- onboard`, as one types it. */
async function onboarding({ folder }: Given): Promise<Measured[]> {
  const times: number[] = [];
  for (const name of ['First', 'Second', 'Third']) {
    const words = ['onboard', '--local', '--organisation', `${name} Survey`, '--client', 'survey', '--scopes', 'all'];
    const begin = performance.now();
    const env = { ...process.env, LOCAL_DIR: folder };
    await promisify(execFile)('npm', ['run', '--silent', 'partner', '--', ...words], { cwd: root, env });
    times.push(performance.now() - begin);
  }
  return [
    {
      figure: 'onboarding a partner, one command',
      measured: `at most ${(Math.max(...times) / 1000).toFixed(1)} s of ${times.length}`,
      mustBe: 'under 10 s',
      ok: Math.max(...times) < 10_000,
    },
  ];
}

/** The seam to the drone platform of a local stack, with the simulated fleet on the other side. */
export const platformSeam: Measurement = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'platform-'));
  const stack = await startLocalStack(root, folder, ['--memory', '--fleet-speed', '1']);
  try {
    // Each may make 60 jobs a minute.
    const [client, other] = await onboardClients(folder, stack.facts.baseUrl, 2);
    if (!client || !other) throw new Error('nobody was onboarded');
    const given: Given = { stack, client, platform: await platformSide(stack.access), folder };
    const measured = await toPlatform(given);

    return [...measured, ...(await onceEach({ ...given, client: other })), ...(await onboarding(given))];
  } finally {
    await stack.stop();
    await rm(folder, { recursive: true });
  }
};
