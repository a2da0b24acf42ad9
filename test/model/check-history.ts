import {
  channelViolations,
  foreignIds,
  isFinal,
  isOfCommand,
  isPosition,
  timestampViolations,
  type ReceivedMessage,
} from './channel-violations';
import { claimViolations } from './claim-violations';
import { keyModel, createJob, observeJobDeletion, jobModel, observeJob, type JobState } from './job-model';
import { limitViolations } from './rate-limit-violations';
import { linearize, formatHistory, type Linearization, type Model, type Step } from './linearize';
import { createShare, observeShare, shareModel, type ShareState } from './share-model';
import { telemetryViolations } from './telemetry-violations';
import type { JobRecord, Listing, OpenFollower, ShareRecord, HistoryRecorder } from './history-recorder';

/** What an organisation's listings show of a resource: that it exists, with its state, or that it does not. */
function listingObservations<State>(
  listings: readonly Listing[],
  thing: { readonly id: string; readonly created: { readonly start: number } },
  idName: 'jobId' | 'shareCode',
  see: (
    window: Pick<Step<State>, 'start' | 'end' | 'label'>,
    item: Listing['items'][number] | undefined,
  ) => Step<State>,
): Step<State>[] {
  return listings.flatMap((listing) => {
    const { label, start, end, items, isFiltered, isLastPage } = listing;
    const item = items.find((each) => each[idName] === thing.id);
    if (item) {
      const shown = `${label} → ${typeof item['status'] === 'string' ? item['status'] : 'exists'}`;
      return [see({ start: isFiltered ? -Infinity : start, end, label: shown }, item)];
    }
    // Newest first: resources older than all items of a page that is not the last are on a later page.
    const isOnPage = isLastPage || items.some((each) => String(each[idName]) < thing.id);
    if (isFiltered || !isOnPage || thing.created.start > end) return [];
    return [see({ start, end, label: `${label} → missing` }, undefined)];
  });
}

const followersOf = ({ followers }: HistoryRecorder, id: string) => followers.filter((follower) => follower.id === id);

/** Fields used of a message on a job's channel. */
interface JobMessage {
  readonly sequence: number;
  readonly jobState: string;
  readonly previousState?: string;
}

/**
 * A message on a job's channel as an observation: of the past, or for a snapshot over WSS of the present; MQTTS may
 * retain it.
 */
function jobObservation({ over, opened }: OpenFollower, { at, message }: ReceivedMessage): Step<JobState> {
  const { sequence, jobState, previousState, snapshot, deleted } = message as ReceivedMessage['message'] & JobMessage;
  const words = [over, 'publishes', snapshot && 'a snapshot', isPosition(message) && 'with a position', previousState];
  const label = `${words.filter(Boolean).join(' ')} → ${deleted ? 'deleted' : jobState}, sequence ${String(sequence)}`;
  const window = { start: snapshot && over === 'WSS' ? opened : -Infinity, end: at, label };
  if (deleted) return observeJobDeletion(window, jobState, sequence);
  return observeJob(window, { version: sequence, status: jobState, previous: previousState });
}

/** Keeps the first of several identical observations of the past. */
function withoutRepeats(steps: readonly Step<JobState>[]): Step<JobState>[] {
  const first = new Map<string, Step<JobState>>();
  for (const step of steps) {
    const name = `${step.label.replace(/^\w+/, '')} ${step.start}`;
    const known = first.get(name);
    if (!known || step.end < known.end) first.set(name, step);
  }
  return [...first.values()];
}

/** All operations on a job and observations of it. */
function historyOfJob(recorder: HistoryRecorder, job: JobRecord, settledAt: number): Step<JobState>[] {
  const { id, organisation, created, steps, reports } = job;
  const listings = recorder.listings.filter((one) => one.of === 'jobs' && one.organisation === organisation);
  const received = followersOf(recorder, id).flatMap((follower) =>
    follower.received.flatMap((one) => (isOfCommand(one.message) ? [] : [jobObservation(follower, one)])),
  );
  return [
    createJob(created),
    ...steps,
    ...reports.map((report) => ({ ...report, end: Math.max(settledAt, report.start) })),
    ...listingObservations<JobState>(listings, job, 'jobId', (window, item) =>
      observeJob(
        window,
        item ? ({ name: item['name'], status: item['status'], priority: item['priority'] } as never) : { absent: true },
      ),
    ),
    ...withoutRepeats(received),
  ];
}

function historyOfShare(recorder: HistoryRecorder, share: ShareRecord): Step<ShareState>[] {
  const { id, organisation, created, steps } = share;
  const listings = recorder.listings.filter((one) => one.of === 'shares' && one.organisation === organisation);
  const received = followersOf(recorder, id).flatMap(({ received: all, opened, over }) =>
    all.flatMap(({ at, message }) => {
      if (isFinal(message))
        return [observeShare({ start: -Infinity, end: at, label: `${over} publishes its end` }, 'revoked')];
      if (message['snapshot'] !== true) return [];
      const start = over === 'WSS' ? opened : -Infinity;
      return [observeShare({ start, end: at, label: `${over} publishes that it is active` }, 'standing')];
    }),
  );
  const see = (window: Pick<Step<ShareState>, 'start' | 'end' | 'label'>, item: unknown) =>
    observeShare(window, item ? 'standing' : 'absent');
  return [
    createShare(created),
    ...steps,
    ...listingObservations<ShareState>(listings, share, 'shareCode', see),
    ...received,
  ];
}

/** Violations found, and the effort of the search. */
export interface CheckResult {
  readonly violations: string[];
  resources: number;
  longestSearch: number;
  longestHistory: number;
}

function checkHistory<State>(
  result: CheckResult,
  name: string,
  steps: readonly Step<State>[],
  model: Model<State>,
): void {
  const explanation: Linearization<State> = linearize(steps, model);
  result.resources += 1;
  result.longestSearch = Math.max(result.longestSearch, explanation.visitedStates);
  result.longestHistory = Math.max(result.longestHistory, steps.length);
  if (!explanation.order) result.violations.push(`${name}: no order explains\n${formatHistory(steps, explanation)}`);
}

export const isLinearizable = (recorder: HistoryRecorder, job: JobRecord, settledAt: number): boolean =>
  linearize(historyOfJob(recorder, job, settledAt), jobModel(job.request)).order !== undefined;

function listingViolations({ listings, jobs, shares }: HistoryRecorder): string[] {
  return listings.flatMap(({ of, organisation, label, items }) =>
    items.flatMap((item) => {
      const known = of === 'jobs' ? jobs.get(String(item['jobId'])) : shares.get(String(item['shareCode']));
      if (known?.organisation !== organisation) return [`${label}: lists ${known?.name ?? 'an unknown resource'}`];
      if (item['createdAt'] !== known.fixed['createdAt']) return [`${label}: ${known.name} with another createdAt`];
      const foreign = foreignIds(JSON.stringify(item), organisation.tag);
      return foreign.length > 0 ? [`${label}: contains ${foreign.join()}`] : [];
    }),
  );
}

/** The last messages of a socket as text, without share codes. */
const formatMessages = (received: readonly ReceivedMessage[]) =>
  received
    .slice(-12)
    .map(
      ({ at, message }) =>
        `    ${at.toFixed(1)} ${JSON.stringify(message).replaceAll(/share-([0-9a-z]{8})-\w+/g, 'share-$1-…')}`,
    )
    .join('\n');

function socketViolations(recorder: HistoryRecorder): string[] {
  const { followers, subscribers, samples } = recorder;
  const nameOf = (id: string) => recorder.jobs.get(id)?.name ?? recorder.shares.get(id)?.name ?? id;
  const onChannels = followers.flatMap((follower) =>
    channelViolations(follower).map(
      (violation) => `${follower.over} of ${nameOf(follower.id)}: ${violation}\n${formatMessages(follower.received)}`,
    ),
  );
  const onTelemetry = subscribers.flatMap((subscriber) => {
    const { share, closed, leavesAt = Infinity, leftAt = Infinity } = subscriber;
    const revoked = share?.revoked;
    return telemetryViolations(
      {
        ...subscriber,
        leavesAt: Math.min(leavesAt, revoked?.start ?? Infinity),
        leftAt: Math.min(leftAt, revoked?.end ?? Infinity),
        isEnded: closed !== undefined && leavesAt === Infinity,
        closed: closed && { code: closed.code, explained: leavesAt !== Infinity || revoked !== undefined },
      },
      samples,
    ).map(
      (violation) =>
        `telemetry of a ${subscriber.role} of ${subscriber.tag}: ${violation}\n${formatMessages(subscriber.received)}`,
    );
  });
  return [...onChannels, ...timestampViolations(followers), ...onTelemetry];
}

/**
 * Checks the recorded history of a batch.
 * @param settledAt by job, when all platform reports must have been processed
 */
export function checkAll(recorder: HistoryRecorder, settledAt: ReadonlyMap<string, number>): CheckResult {
  const result: CheckResult = {
    violations: [...recorder.violations],
    resources: 0,
    longestSearch: 0,
    longestHistory: 0,
  };
  for (const job of recorder.jobs.values())
    checkHistory(
      result,
      job.name,
      historyOfJob(recorder, job, settledAt.get(job.id) ?? Infinity),
      jobModel(job.request),
    );
  for (const share of recorder.shares.values())
    checkHistory(result, share.name, historyOfShare(recorder, share), shareModel);
  for (const [name, { steps }] of recorder.keys) checkHistory(result, `key of ${name}`, steps, keyModel);
  result.violations.push(
    ...listingViolations(recorder),
    ...socketViolations(recorder),
    ...limitViolations(recorder.counted),
    ...claimViolations(recorder.docks.dispatches, recorder.docks.deviceIds),
  );
  return result;
}
