import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endpointTable } from '../contract/endpoint-table';
import type { Endpoint } from '../contract/terms/endpoint';
import { DEFAULT_MEMORY_MB } from '../lib/functions/api-function';
import { bundle } from '../lib/functions/bundle';
import { startCaller } from './support/caller';
import { endpointsToStart, type Start } from './support/endpoints-to-start';
import { median, type Measured, type Measurement } from './support/figure';
import { useStorage } from './support/storage';
import { storeSubjects } from './support/stored-subjects';
import { startTokenEndpoint } from './support/token-endpoint';

/** Processes of each function. */
const ROUNDS = 3;
/** Calls of each process, without the first. */
const CALLS = 20;

const sizesMb = [128, 256, 512, 1024, 1769] as const;
/** Memory with which a function has one whole processor (Lambda developer guide, "Configure Lambda function memory"). */
const ONE_PROCESSOR_MB = 1769;
/** Price of a GB-second on Arm in eu-central-1, in US dollars (price page of AWS Lambda). */
const DOLLARS_PER_GB_S = 0.0000133334;
/** Assumed time of a call of another service: DynamoDB takes single-digit milliseconds. */
const SERVICE_CALL_MS = 5;

/** What partners may notice of a cold start: the size that all functions have must be enough for a first call of this time. */
const MAX_FIRST_CALL_MS = 160;
/** Part of the memory that a process may use, since Lambda's runtime needs some too. */
const MAX_MEMORY_USED = 0.7;

/** What a function needs; times in milliseconds. */
interface Usage {
  /** Processor time to load and make the first call. */
  readonly first: number;
  /** Processor time of a later call. */
  readonly warm: number;
  /** Time of a call during which it waits for other services. */
  readonly waits: number;
  readonly peakMegabytes: number;
}

/**
 * Memory of each endpoint's function: from the processor time of its start and of its calls, how long a first and a later call
 * take and what they cost with each size, and the least size by the rule. Functions that hold a call are left out: memory is what they
 * cost while they wait.
 */
export const functionMemory: Measurement = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'function-memory-'));
  const { environment } = await useStorage();
  const identity = await startTokenEndpoint();
  const settings = { TOKEN_URL: identity.url, SHARE_BASE_URL: 'https://share.test' };
  Object.assign(process.env, settings);
  try {
    const starts = (await endpointsToStart()).filter(({ entry }) => !holdsCalls(entry));
    bundle(
      starts.map(({ entry }) => entry),
      folder,
    );
    bundle(['warm-calls'], folder, 'bench/support');
    const measured: Measured[] = [];
    for (const start of starts) {
      const usage = await usageOf(start, folder, { ...environment, ...settings });
      measured.push(sized(start.entry, usage));
    }
    return measured;
  } finally {
    identity.close();
    await rm(folder, { recursive: true });
  }
};

const holdsCalls = (entry: string): boolean =>
  Object.values<Endpoint>(endpointTable).some(({ handler, waits }) => waits === true && entry === handler);

async function usageOf(start: Start, folder: string, environment: Readonly<Record<string, string>>): Promise<Usage> {
  const { entry, event, status, calls } = start;
  const first: number[] = [];
  const warm: number[] = [];
  let peakMegabytes = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const caller = startCaller(folder, entry, environment);
    try {
      for (let call = 0; call <= CALLS; call++) {
        await storeSubjects(calls);
        const spent = await caller.make({ event, status, count: 1 });
        if (call === 0) first.push((spent.loadMicroseconds + spent.callMicroseconds) / 1000);
        else warm.push(spent.callMicroseconds / 1000);
        peakMegabytes = Math.max(peakMegabytes, spent.peakMegabytes);
      }
    } finally {
      caller.stop();
    }
  }
  return { first: median(first), warm: median(warm), waits: calls.length * SERVICE_CALL_MS, peakMegabytes };
}

/** Time of a call with a size, in milliseconds: less than a whole processor takes longer in proportion. */
const timeOf = (processor: number, waits: number, sizeMb: number): number =>
  processor * Math.max(1, ONE_PROCESSOR_MB / sizeMb) + waits;

/** Price of a million later calls, without the price of requests, in US dollars. */
const priceOf = ({ warm, waits }: Usage, sizeMb: number): number =>
  timeOf(warm, waits, sizeMb) * 1000 * (sizeMb / 1024) * DOLLARS_PER_GB_S;

function sized(entry: string, usage: Usage): Measured {
  const { first, warm, waits, peakMegabytes } = usage;
  const fits = (size: number) =>
    peakMegabytes <= size * MAX_MEMORY_USED && timeOf(first, waits, size) <= MAX_FIRST_CALL_MS;
  const chosen = sizesMb.find(fits);
  const ofSizes = sizesMb.map((size) => {
    const times = [timeOf(first, waits, size), timeOf(warm, waits, size)].map((ms) => ms.toFixed(0));
    return `${size} MB ${times.join('/')} ms $${priceOf(usage, size).toFixed(2)}`;
  });
  return {
    figure: `memory of ${entry}: ${chosen ?? 'more'} MB`,
    measured: `processor ${first.toFixed(0)}/${warm.toFixed(1)} ms, peak ${peakMegabytes.toFixed(0)} MB: ${ofSizes.join(', ')}`,
    mustBe: `at most ${DEFAULT_MEMORY_MB} MB for a first call of ${MAX_FIRST_CALL_MS} ms`,
    ok: chosen !== undefined && chosen <= DEFAULT_MEMORY_MB,
  };
}
