import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { jobToItem } from '../../data/jobs/jobs';
import { newId } from '../../data/store/new-id';
import { readCursor } from '../../domain/events/cursor';
import { organisationOf } from '../../domain/values/id';
import { database, tableNamed } from '../api/stack/aws-access';
import { givenFreeDevices } from '../channels/flying-device';
import { makeQueueOf } from '../channels/platform-bus';
import { sampleJob } from '../domain/fixtures/samples';
import { platformOf } from './cost/metered-stack';
import { findBus, startLocalStack, type LocalStack } from './support/local-stack';
import { percentile, type Measurement } from './support/figure';
import { connectClient } from './support/many-clients';
import { connectPartner, type PartnerClient } from './support/partner-client';

const JOBS = 10_000;
/** How long ago they were created, in ms: the newest are read from the table itself. */
const AGE_MS = 3_600_000;
/** Most items of a BatchWriteItem (DynamoDB API reference). */
const IN_BATCH = 25;
/** With the warm-up at most 60, which a client may make of each in a minute. Each dispatch takes a device. */
const WARM_UP = 10;
const CALLS = 48;
/** How often the log may be read. */
const LOOK_EVERY_MS = 1000;
const MAX_SLOWER_MS = 100;
const PLACE = [8.5417, 47.3769] as const;
/** The devices report nothing meanwhile: their last sample is so far ahead, in ms. */
const ONLINE_MS = 50_000;

const create = 'POST /v3/jobs/create';
const dispatch = 'POST /v3/jobs/dispatch';
const check = 'POST /v3/jobs/check';

/** A dispatch and a check among 10,000 open jobs of the organisation: how much longer they take than a create. */
export const amongOpenJobs: Measurement = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'among-open-jobs-'));
  const stack = await startLocalStack(join(__dirname, '../..'), folder, ['--memory', '--no-fleet']);
  try {
    process.env['STACK_FILE'] = join(stack.dataFolder, 'stack.json');
    const client = await connectPartner(stack.facts);
    const times = await measure(stack, client);
    const beside = percentile(times[create], 95);
    return ([dispatch, check] as const).map((key) => {
      const p95 = percentile(times[key], 95);
      return {
        figure: `${key.replace('POST /v3/jobs/', '')} among ${JOBS} open jobs, p95 beside a create`,
        measured: `${p95.toFixed(0)} ms to ${beside.toFixed(0)} ms, ${(p95 - beside).toFixed(0)} ms more`,
        mustBe: `at most ${MAX_SLOWER_MS} ms more`,
        ok: p95 - beside <= MAX_SLOWER_MS,
      };
    });
  } finally {
    await stack.stop();
    await rm(folder, { recursive: true });
  }
};

async function measure(stack: LocalStack, client: PartnerClient) {
  const { deviceGroupId } = client.subjects;
  const platform = await answerChecks(stack);
  const logged = await countLogged(stack);
  try {
    await putOpenJobs(deviceGroupId);
    // The stream logs all of them and tells the platform, which must not be measured.
    await waitUntil(async () => platform.heardJobs() >= JOBS && (await logged()) >= JOBS);
    await givenFreeDevices(deviceGroupId, WARM_UP + CALLS + 2, PLACE, new Date(Date.now() + ONLINE_MS));
    return await callInTurn(client);
  } finally {
    await platform.close();
  }
}

/** Calls each of the three in turn. @returns how long the calls took after the warm-up, in ms */
async function callInTurn({ subjects: { deviceGroupId }, call }: PartnerClient) {
  const desiredLocation = { type: 'Point', coordinates: [...PLACE] };
  const bodies = {
    [create]: { name: 'Survey', deviceGroupId, desiredLocation },
    [dispatch]: { name: 'Alarm', desiredLocation },
    [check]: { name: 'Look', deviceGroupId, desiredLocation },
  } as const;
  const times = { [create]: [] as number[], [dispatch]: [] as number[], [check]: [] as number[] };
  for (let count = 0; count < WARM_UP + CALLS; count += 1)
    for (const key of [create, dispatch, check] as const) {
      const begin = performance.now();
      const answer = await call(key, { path: {}, body: bodies[key] });
      if (count >= WARM_UP) times[key].push(performance.now() - begin);
      if (key === check) expectDecided(answer);
    }
  return times;
}

const checked = z.object({ findings: z.array(z.object({ code: z.string() })) });

/** @throws Error for a check that the platform has not answered */
function expectDecided(answer: unknown): void {
  const { findings } = checked.parse(answer);
  if (findings.length > 0) throw new Error(`a check found ${findings.map(({ code }) => code).join()}`);
}

const heard = z.object({ 'detail-type': z.string(), detail: z.looseObject({ requestId: z.optional(z.string()) }) });

/** Answers checks at once, in place of the platform, and counts the jobs that it hears of. */
async function answerChecks(stack: LocalStack) {
  const { bus, options } = await findBus(stack.access);
  const queue = await makeQueueOf(bus, 'bench-platform', options, ['job.created', 'mission.check.requested']);
  const publish = await platformOf(stack.access);
  const stopping = new AbortController();
  let jobs = 0;
  const answer = async (requestId: string) =>
    publish({ type: 'mission.check.reported', detail: { requestId, durationSeconds: 60, findings: [] } });
  const listening = (async () => {
    while (!stopping.signal.aborted)
      for (const event of await queue.take(1)) {
        const { detail, ...named } = heard.parse(event);
        if (named['detail-type'] === 'job.created') jobs += 1;
        else if (detail.requestId !== undefined) await answer(detail.requestId);
      }
  })();
  return {
    heardJobs: () => jobs,
    close: async () => {
      stopping.abort();
      await listening;
    },
  };
}

/** Counts the events that the organisation's log gets from now on. */
async function countLogged({ facts: { baseUrl, partners } }: LocalStack): Promise<() => Promise<number>> {
  const [partner] = partners;
  if (!partner) throw new Error('the stack has no demo partner');
  const { api, deviceGroupId } = await connectClient(baseUrl, partner);
  const last = async () => {
    const { cursor } = await api.events.list();
    return readCursor(organisationOf('group', deviceGroupId) ?? '', cursor);
  };
  const before = await last();
  return async () => (await last()) - before;
}

async function waitUntil(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await pause(LOOK_EVERY_MS);
}

/** Puts open jobs that name no device. */
async function putOpenJobs(deviceGroupId: string): Promise<void> {
  const organisation = organisationOf('group', deviceGroupId) ?? '';
  const createdAt = new Date(Date.now() - AGE_MS).toISOString();
  const name = await tableNamed('Jobs');
  for (let first = 0; first < JOBS; first += IN_BATCH) {
    const puts = Array.from({ length: Math.min(IN_BATCH, JOBS - first) }, () => {
      const jobId = newId('job', organisation, createdAt);
      const job = sampleJob({ jobId, deviceGroupId, deviceId: undefined, createdAt, updatedAt: createdAt });
      return { PutRequest: { Item: jobToItem(organisation, job) } };
    });
    // The documents' client of this file leaves nothing out that is undefined.
    const plain = JSON.parse(JSON.stringify(puts)) as typeof puts;
    await database().send(new BatchWriteCommand({ RequestItems: { [name]: plain } }));
  }
}
