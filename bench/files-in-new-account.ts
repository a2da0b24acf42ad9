import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ApiError } from 'drone-mission-client';
import { MISSIONS_WRITTEN_PER_MINUTE } from '../contract/terms/rates';
import { mediaTypeOf } from '../domain/missions/mission-record';
import { MAX_MISSION_BYTES } from '../lambdas/missions/read-mission';
import { largestFiles } from '../test/lambdas/missions/largest';
import { serviceApp, serviceStack } from './support/service-app';
import { percentile, type Measured, type Measurement } from './support/figure';
import { startLocalStack } from './support/local-stack';
import { onboardClients, type ChannelClient } from './support/many-clients';

const root = join(__dirname, '..');
const assembly = join(root, 'cdk.out', 'files-in-new-account');

/** What docs/deploying.md advises for a new account. */
const FILES_AT_ONCE = 2;
/** How many calls one client of the organisation makes at the same time, one stage after the other. */
const STAGES = [4, 8, 16] as const;
/** Files of a stage, each with a client of its own: as many as it may send in a minute. */
const FILES = MISSIONS_WRITTEN_PER_MINUTE;
/** Lists of jobs of a stage, which need no processor to speak of. */
const LISTS = 600;
/** Pause of another organisation between two of its calls, in ms. */
const PAUSE_MS = 50;
/** Different files, which API Gateway passes on as they are. */
const KINDS = 6;

/** Files of the largest size that can be read, with their types. */
const filesToSend = () =>
  Promise.all(
    largestFiles(MAX_MISSION_BYTES)
      .filter(([, mediaType, , outcome]) => outcome === 'read' && mediaType !== mediaTypeOf.QGC_PLAN)
      .slice(0, KINDS)
      .map(async ([, mediaType, file]) => ({ mediaType, content: await file() })),
  );

type Files = Awaited<ReturnType<typeof filesToSend>>;

/** How the calls of somebody end: by what they are answered with, and how long they take in ms. */
interface Outcomes {
  readonly took: number[];
  readonly failures: string[];
}

async function timed(outcomes: Outcomes, call: () => Promise<unknown>): Promise<void> {
  const begin = performance.now();
  try {
    await call();
    outcomes.took.push(performance.now() - begin);
  } catch (error) {
    outcomes.failures.push(error instanceof ApiError ? String(error.status) : String(error));
  }
}

/** Makes calls, several at the same time. @param callOf a new caller, which gets the number of its call */
async function callAtOnce(count: number, atOnce: number, callOf: () => (number: number) => Promise<unknown>) {
  const outcomes: Outcomes = { took: [], failures: [] };
  let begun = 0;
  const caller = async () => {
    const call = callOf();
    for (let number = begun++; number < count; number = begun++) await timed(outcomes, () => call(number));
  };
  await Promise.all(Array.from({ length: atOnce }, caller));
  return outcomes;
}

/** Posts a mission, and replaces it again and again. */
const sendFiles =
  ({ api }: ChannelClient, files: Files) =>
  () => {
    let missionId: string | undefined;
    return async (number: number) => {
      const file = files[number % files.length];
      if (!file) throw new Error('there are no files');
      const { content, mediaType } = file;
      if (missionId === undefined) ({ missionId } = await api.missions.create(content, { mediaType }));
      else await api.missions.replace(missionId, content, { mediaType });
    };
  };

/** Calls as a partner does, one after the other. */
async function callUntil({ api }: ChannelClient, ended: AbortSignal): Promise<Outcomes> {
  const outcomes: Outcomes = { took: [], failures: [] };
  for (let count = 0; !ended.aborted; count += 1) {
    await timed(outcomes, () => (count % 2 === 0 ? api.deviceGroups.list() : api.jobs.page({ limit: 10 })));
    await pause(PAUSE_MS);
  }
  return outcomes;
}

/** Calls another organisation while something is done. @returns how its calls ended */
async function beside(other: ChannelClient, doing: () => Promise<Outcomes>): Promise<Outcomes> {
  const stop = new AbortController();
  const calling = callUntil(other, stop.signal);
  const { took, failures } = await doing().finally(() => stop.abort());
  console.error(
    `${took.length} calls of the first organisation taken, ${failures.length} not: ${[...new Set(failures)].join()}`,
  );
  return calling;
}

const partOf = ({ took, failures }: Outcomes) => failures.length / Math.max(1, took.length + failures.length);

const failed = ({ took, failures }: Outcomes) =>
  `${failures.length} of ${took.length + failures.length}${failures.length > 0 ? ` (${[...new Set(failures)].join()})` : ''}`;

/** One stage: what becomes of the calls of others beside files, and beside as many lists of jobs. */
async function runStage(sender: ChannelClient, other: ChannelClient, files: Files, atOnce: number): Promise<Measured> {
  const lists = await beside(other, () => callAtOnce(LISTS, atOnce, () => () => sender.api.jobs.page({ limit: 10 })));
  const sent = await beside(other, () => callAtOnce(FILES, atOnce, sendFiles(sender, files)));
  return {
    figure: `calls of others that fail beside ${atOnce} files of 4 MB at once, ten invocations at a time`,
    measured: `${failed(sent)}, p95 ${percentile(sent.took, 95).toFixed(0)} ms; beside lists of jobs ${failed(lists)}`,
    mustBe: 'no larger part than beside lists',
    ok: partOf(sent) <= partOf(lists),
  };
}

/**
 * An organisation that sends the largest files in an account that runs ten invocations at a time: how many calls of another one fail, beside as
 * many lists of jobs at once, which take all ten as well.
 */
export const filesInNewAccount: Measurement = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'new-account-'));
  const app = serviceApp(assembly, { maxFilesAtOnce: FILES_AT_ONCE });
  serviceStack(app);
  app.synth();
  const stack = await startLocalStack(root, folder, ['--memory', '--new-account', '--app', assembly]);
  try {
    const senders = await onboardClients(folder, stack.facts.baseUrl, STAGES.length);
    const [other] = await onboardClients(folder, stack.facts.baseUrl, 1);
    if (!other) throw new Error('no client was onboarded');
    const files = await filesToSend();
    const measured: Measured[] = [];
    for (const [stage, sender] of senders.entries())
      measured.push(await runStage(sender, other, files, STAGES[stage] ?? 1));
    return measured;
  } finally {
    await stack.stop();
    for (const each of [folder, assembly]) await rm(each, { recursive: true, force: true });
  }
};
