import { UNSAVED_FOR_MS } from './telemetry-violations';

/** A sample as a publisher sent it; times in Unix ms. */
interface SentSample {
  readonly deviceId: string;
  readonly timestamp: number;
}

/** A list of valid samples that was published, and the answer. */
export interface PublishedList {
  readonly jobId: string | undefined;
  /** Samples later than all earlier ones of their device. */
  readonly news: readonly SentSample[];
  /** Samples that are not: late, or repeated. */
  readonly late: readonly SentSample[];
  /** When it was sent, Unix ms. */
  readonly sentAt: number;
  readonly accepted: number;
  readonly recorded: number;
}

/** Between which times a job's flight began and ended, as far as answers and attempts say; Unix ms. */
export interface FlightWindow {
  readonly startedFrom: number;
  readonly startedBy: number;
  readonly endedFrom: number;
  readonly endedBy: number;
}

/** A position of a track; `timestamp` in Unix ms. */
export interface TrackPosition extends SentSample {
  readonly altitude: number;
}

/** What a job was asked to be and seen as; Unix ms. */
export interface StatusFacts {
  /** Calls and reports that may have changed the status, whether or not they did. */
  readonly attempts: readonly { readonly status: string; readonly at: number }[];
  /** Answers that showed it. */
  readonly seen: readonly { readonly status: string; readonly by: number }[];
}

const FINAL: readonly string[] = ['COMPLETED', 'FAILED', 'CANCELLED'];
/** Statuses that a job can't have without a flight. */
const FLOWN: readonly string[] = ['IN_PROGRESS', 'COMPLETED'];

/** The flight of a job: Infinity for what nobody has tried or seen. */
export const flightWindowOf = ({ attempts, seen }: StatusFacts): FlightWindow => {
  const tried = (statuses: readonly string[]) =>
    Math.min(...attempts.filter(({ status }) => statuses.includes(status)).map(({ at }) => at));
  const shown = (statuses: readonly string[]) =>
    Math.min(...seen.filter(({ status }) => statuses.includes(status)).map(({ by }) => by));
  return {
    startedFrom: tried(['IN_PROGRESS']),
    startedBy: shown(FLOWN),
    endedFrom: tried(FINAL),
    endedBy: shown(FINAL),
  };
};

/** The altitude that the model publishes: it tells samples of a second apart. */
export const altitudeAt = (timestamp: number): number => 400 + (timestamp % 100);

const secondOf = (timestamp: number) => Math.floor(timestamp / 1000);
const slotOf = ({ deviceId, timestamp }: SentSample) => `${deviceId} in ${secondOf(timestamp)}`;
const sampleName = ({ deviceId, timestamp }: SentSample) => `${deviceId} at ${timestamp}`;

/**
 * Violations in the counts of an answer: news are accepted, late samples only if they are new in a record, or may be
 * new to the instance that got them.
 */
export function replyViolations({ jobId, news, late, sentAt, accepted, recorded }: PublishedList): string[] {
  const unsaved = late.filter(({ timestamp }) => sentAt - timestamp < UNSAVED_FOR_MS).length;
  const seconds = new Set([...news, ...late].map(slotOf)).size;
  const most = jobId === undefined ? 0 : seconds;
  return [
    ...(recorded < 0 || recorded > most ? [`${recorded} recorded of at most ${most}`] : []),
    ...(recorded > accepted ? [`${recorded} recorded, but only ${accepted} accepted`] : []),
    ...(accepted < news.length ? [`${accepted} accepted of ${news.length} new ones`] : []),
    ...(accepted > news.length + unsaved + Math.min(recorded, late.length - unsaved)
      ? [`${accepted} accepted: ${news.length} are new, ${recorded} recorded`]
      : []),
  ];
}

/**
 * Violations in the track of a job: every second of the flight that a position was accepted of, once, with the earliest of that
 * second, whatever the order; and nothing else.
 * @param lists all that name the job
 */
export function trackViolations(
  { startedFrom, startedBy, endedFrom, endedBy }: FlightWindow,
  lists: readonly PublishedList[],
  track: readonly TrackPosition[],
): string[] {
  const violations: string[] = [];
  const sent = new Set(lists.flatMap(({ news, late }) => [...news, ...late]).map(sampleName));
  const slots = new Map<string, number>();
  for (const position of track) {
    const { timestamp, altitude } = position;
    const slot = slotOf(position);
    if (!sent.has(sampleName(position))) violations.push(`an unpublished position of ${sampleName(position)}`);
    if (altitude !== altitudeAt(timestamp)) violations.push(`another position of ${sampleName(position)}`);
    if (slots.has(slot)) violations.push(`two positions of ${slot}`);
    if (timestamp < startedFrom || timestamp > endedBy)
      violations.push(`a position of ${sampleName(position)}, which is not in the flight`);
    slots.set(slot, timestamp);
  }
  const recorded = lists.reduce((sum, list) => sum + list.recorded, 0);
  if (recorded < track.length) violations.push(`${track.length} positions, but only ${recorded} recorded`);
  // In the second in which the flight begins what was recorded before may be in the way (domain/fleet/sample-decision.ts).
  const inFlight = lists
    .filter(({ sentAt }) => sentAt >= startedBy)
    .flatMap(({ news, late }) => [...news, ...late])
    .filter(({ timestamp }) => secondOf(timestamp) > secondOf(startedBy) && timestamp < endedFrom);
  for (const sample of inFlight) {
    const kept = slots.get(slotOf(sample));
    if (kept === undefined) violations.push(`no position of ${slotOf(sample)}`);
    else if (kept > sample.timestamp) violations.push(`a later position than that of ${sampleName(sample)}`);
  }
  return [...new Set(violations)];
}
