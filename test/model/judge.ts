import { channelFaults, foreignIds, isLastWord, isPosition, type Heard } from './channel-judge';
import { keyModel, limitFaults } from './creation-model';
import { explain, printHistory, type Explanation, type Model, type Step } from './explain';
import { createJob, hearDeleted, jobModel, seeJob, type JobState } from './job-model';
import { createShare, seeShare, shareModel, type ShareState } from './share-model';
import { telemetryFaults } from './telemetry-judge';
import type { JobRecord, Listing, OpenFollower, ShareRecord, World } from './world';

/** What listings of an organisation say of one of its things: that it was there, in that state, or that it was not. */
function seenIn<State>(
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
      const shown = `${label} → ${typeof item['status'] === 'string' ? item['status'] : 'there'}`;
      return [see({ start: isFiltered ? -Infinity : start, end, label: shown }, item)];
    }
    // Newest first: on a page that is not the last one, what is older than all of it is on another.
    const isOnPage = isLastPage || items.some((each) => String(each[idName]) < thing.id);
    if (isFiltered || !isOnPage || thing.created.start > end) return [];
    return [see({ start, end, label: `${label} → not there` }, undefined)];
  });
}

const followersOf = ({ followers }: World, id: string) => followers.filter((follower) => follower.id === id);

/** What is used of a message of a job's channel. */
interface Said {
  readonly sequence: number;
  readonly jobState: string;
  readonly previousState?: string;
}

/** One message on a job's channel as something seen of the job: of the past, or a snapshot of now. */
function heardOfJob({ over, opened }: OpenFollower, { at, message }: Heard): Step<JobState> {
  const { sequence, jobState, previousState, snapshot, deleted } = message as Heard['message'] & Said;
  const words = [over, 'tells', snapshot && 'as it is', isPosition(message) && 'with a position', previousState];
  const label = `${words.filter(Boolean).join(' ')} → ${deleted ? 'deleted' : jobState}, sequence ${String(sequence)}`;
  const window = { start: snapshot ? opened : -Infinity, end: at, label };
  if (deleted) return hearDeleted(window, jobState, sequence);
  return seeJob(window, { version: sequence, status: jobState, previous: previousState });
}

/** Of those that tell the same of the past the first. */
function withoutRepeats(steps: readonly Step<JobState>[]): Step<JobState>[] {
  const first = new Map<string, Step<JobState>>();
  for (const step of steps) {
    const name = `${step.label.replace(/^\w+/, '')} ${step.start}`;
    const known = first.get(name);
    if (!known || step.end < known.end) first.set(name, step);
  }
  return [...first.values()];
}

/** Everything that was done to a job and seen of it. */
function historyOfJob(world: World, job: JobRecord, settledAt: number): Step<JobState>[] {
  const { id, organisation, created, steps, reports } = job;
  const listings = world.listings.filter((one) => one.of === 'jobs' && one.organisation === organisation);
  const heard = followersOf(world, id).flatMap((follower) => follower.heard.map((one) => heardOfJob(follower, one)));
  return [
    createJob(created),
    ...steps,
    ...reports.map((report) => ({ ...report, end: Math.max(settledAt, report.start) })),
    ...seenIn<JobState>(listings, job, 'jobId', (window, item) =>
      seeJob(
        window,
        item ? ({ name: item['name'], status: item['status'], priority: item['priority'] } as never) : { absent: true },
      ),
    ),
    ...withoutRepeats(heard),
  ];
}

function historyOfShare(world: World, share: ShareRecord): Step<ShareState>[] {
  const { id, organisation, created, steps } = share;
  const listings = world.listings.filter((one) => one.of === 'shares' && one.organisation === organisation);
  const heard = followersOf(world, id).flatMap(({ heard: all, opened, over }) =>
    all.flatMap(({ at, message }) => {
      if (isLastWord(message))
        return [seeShare({ start: -Infinity, end: at, label: `${over} tells that it is over` }, 'revoked')];
      if (message['snapshot'] !== true) return [];
      return [seeShare({ start: opened, end: at, label: `${over} tells that it stands` }, 'standing')];
    }),
  );
  const see = (window: Pick<Step<ShareState>, 'start' | 'end' | 'label'>, item: unknown) =>
    seeShare(window, item ? 'standing' : 'absent');
  return [createShare(created), ...steps, ...seenIn<ShareState>(listings, share, 'shareCode', see), ...heard];
}

/** What was found, and how hard it was. */
export interface Verdict {
  readonly faults: string[];
  resources: number;
  longestSearch: number;
  longestHistory: number;
}

function judge<State>(verdict: Verdict, name: string, steps: readonly Step<State>[], model: Model<State>): void {
  const explanation: Explanation<State> = explain(steps, model);
  verdict.resources += 1;
  verdict.longestSearch = Math.max(verdict.longestSearch, explanation.searched);
  verdict.longestHistory = Math.max(verdict.longestHistory, steps.length);
  if (!explanation.order) verdict.faults.push(`${name}: no order explains\n${printHistory(steps, explanation)}`);
}

export const isExplained = (world: World, job: JobRecord, settledAt: number): boolean =>
  explain(historyOfJob(world, job, settledAt), jobModel(job.asked)).order !== undefined;

function faultsOfListings({ listings, jobs, shares }: World): string[] {
  return listings.flatMap(({ of, organisation, label, items }) =>
    items.flatMap((item) => {
      const known = of === 'jobs' ? jobs.get(String(item['jobId'])) : shares.get(String(item['shareCode']));
      if (known?.organisation !== organisation) return [`${label}: ${known?.name ?? 'nobody knows what it'} is on it`];
      if (item['createdAt'] !== known.fixed['createdAt']) return [`${label}: ${known.name} at another time`];
      const foreign = foreignIds(JSON.stringify(item), organisation.tag);
      return foreign.length > 0 ? [`${label}: names ${foreign.join()}`] : [];
    }),
  );
}

/** A socket's messages as text, without share codes. */
const printHeard = (heard: readonly Heard[]) =>
  heard
    .slice(-12)
    .map(
      ({ at, message }) =>
        `    ${at.toFixed(1)} ${JSON.stringify(message).replaceAll(/share-([0-9a-z]{8})-\w+/g, 'share-$1-…')}`,
    )
    .join('\n');

function faultsOfSockets(world: World): string[] {
  const { followers, listeners, samples } = world;
  const nameOf = (id: string) => world.jobs.get(id)?.name ?? world.shares.get(id)?.name ?? id;
  const onChannels = followers.flatMap((follower) =>
    channelFaults(follower).map(
      (fault) => `${follower.over} of ${nameOf(follower.id)}: ${fault}\n${printHeard(follower.heard)}`,
    ),
  );
  const onTelemetry = listeners.flatMap((listener) => {
    const { share, closed, until = Infinity, over = Infinity } = listener;
    const revoked = share?.revoked;
    return telemetryFaults(
      {
        ...listener,
        until: Math.min(until, revoked?.start ?? Infinity),
        over: Math.min(over, revoked?.end ?? Infinity),
        ...{ closed: closed && { code: closed.code, explained: until !== Infinity || revoked !== undefined } },
      },
      samples,
    ).map((fault) => `telemetry of a ${listener.who} of ${listener.tag}: ${fault}\n${printHeard(listener.heard)}`);
  });
  return [...onChannels, ...onTelemetry];
}

/**
 * Judges all that was done and seen in a chapter.
 * @param settledAt by job, when everything that the platform had reported must have been worked on
 */
export function judgeAll(world: World, settledAt: ReadonlyMap<string, number>): Verdict {
  const verdict: Verdict = { faults: [...world.faults], resources: 0, longestSearch: 0, longestHistory: 0 };
  for (const job of world.jobs.values())
    judge(verdict, job.name, historyOfJob(world, job, settledAt.get(job.id) ?? Infinity), jobModel(job.asked));
  for (const share of world.shares.values()) judge(verdict, share.name, historyOfShare(world, share), shareModel);
  for (const [name, { steps }] of world.keys) judge(verdict, `key of ${name}`, steps, keyModel);
  verdict.faults.push(...faultsOfListings(world), ...faultsOfSockets(world), ...limitFaults(world.counted));
  return verdict;
}
