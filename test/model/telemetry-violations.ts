import { foreignIds, isFinal, type ReceivedMessage } from './channel-violations';

/** A published sample. Times in ms; `timestamp` is the sample's own, in Unix milliseconds. */
export interface PublishedSample {
  readonly deviceId: string;
  readonly timestamp: number;
  readonly start: number;
  readonly end: number;
  /**
   * `in order`: by one publisher that waits for each answer; `late`: not later than an earlier one; `reported`: over the
   * platform's bus, which guarantees no order.
   */
  readonly as: 'in order' | 'late' | 'reported';
  /** Whether it was published again. */
  readonly isRepeated?: boolean;
  /** Whether it names a job or has data of a vendor, which may not be known although a later sample is. */
  readonly mayAdd?: boolean;
}

/** A telemetry subscriber and what it received. */
export interface Subscriber {
  readonly role: 'partner' | 'viewer';
  readonly tag: string;
  readonly deviceIds: readonly string[];
  /** Whether it asked for batches. */
  readonly batch: boolean;
  readonly received: readonly ReceivedMessage[];
  /** Samples published from then on must be received. */
  readonly from: number;
  /** Samples published from then on may be missing. */
  readonly leavesAt: number;
  /** Samples published from then on must not be received: unsubscribing or revoking was answered. */
  readonly leftAt: number;
  /** The server closed the connection; `explained`: its share was revoked, or the subscriber left. */
  readonly closed?: { readonly code: number; readonly explained: boolean } | undefined;
  /** The server closed it although it had not left. */
  readonly isEnded?: boolean;
}

/**
 * How long the newest sample of a device may not be saved yet, in ms: its turn comes after a second, by a queue that
 * takes two more. An instance that has not seen it takes what is later than the saved state as new, once more or out of
 * order.
 */
const UNSAVED_FOR_MS = 5000;

/** Largest frame of a batch, in bytes. */
const MAX_BATCH_BYTES = 32 * 1024;
const BATCH = 'device.telemetry.batch';

const samplesIn = ({ samples }: ReceivedMessage['message']) => (samples ?? []) as readonly ReceivedMessage['message'][];

/** Checks a batch as a whole; its samples are checked like those that come alone. */
function batchViolations({ batch }: Subscriber, message: ReceivedMessage['message']): string[] {
  const samples = samplesIn(message);
  const bytes = Buffer.byteLength(JSON.stringify(message));
  return [
    ...(batch ? [] : ['a batch that was not asked for']),
    ...(bytes > MAX_BATCH_BYTES ? [`a batch of ${bytes} bytes`] : []),
    ...(samples.length < 2 ? [`a batch of ${samples.length} samples`] : []),
    ...(samples.some(({ snapshot }) => snapshot === true) ? ['a snapshot in a batch'] : []),
    ...(samples.every(({ type }) => type === 'device.telemetry') ? [] : ['a batch of something else than samples']),
  ];
}

const timestampOf = ({ timestamp }: ReceivedMessage['message']) => Date.parse(String(timestamp));

/** Whether a sample was accepted so soon that an instance which had not seen it before may have accepted it again. */
const wasUnsaved = (message: ReceivedMessage['message']) =>
  Date.parse(String(message['receivedAt'])) - timestampOf(message) < UNSAVED_FOR_MS;

/** Checks the messages about one device. */
function deviceViolations(
  subscriber: Subscriber,
  samples: readonly PublishedSample[],
  messages: readonly ReceivedMessage['message'][],
) {
  const violations: string[] = [];
  const published = new Map(samples.map((sample) => [sample.timestamp, sample]));
  const snapshots = messages.filter(({ snapshot }) => snapshot === true);
  const live = messages.filter(({ snapshot }) => snapshot !== true);
  if (snapshots.length > 1 || (snapshots.length === 1 && messages[0] !== snapshots[0]))
    violations.push('a snapshot that is not the first message');
  const known = snapshots[0] ? timestampOf(snapshots[0]) : -Infinity;
  const counts = new Map<number, number>();
  let last = known;
  for (const message of live) {
    const timestamp = timestampOf(message);
    const sample = published.get(timestamp);
    counts.set(timestamp, (counts.get(timestamp) ?? 0) + 1);
    if (!sample) violations.push(`an unpublished sample of ${timestamp}`);
    else if (sample.start > subscriber.leftAt)
      violations.push(`a sample of ${timestamp} that was published after the end`);
    if (!sample || sample.as === 'reported') continue;
    const mayBeNew = (sample.as === 'late' || sample.isRepeated) && (sample.mayAdd || wasUnsaved(message));
    const isFirst = counts.get(timestamp) === 1;
    if (!mayBeNew && isFirst && timestamp <= last) violations.push(`a sample of ${timestamp} after one of ${last}`);
    if (!mayBeNew && !isFirst) violations.push(`the sample of ${timestamp} more than once`);
    last = Math.max(last, timestamp);
  }
  // The latest samples may be missing once the subscriber leaves or the share ends; earlier ones must not be.
  const completeTo = subscriber.leavesAt === Infinity ? Infinity : last;
  const missing = samples.filter(
    ({ timestamp, as, start, end }) =>
      as === 'in order' &&
      start > subscriber.from &&
      end < subscriber.leavesAt &&
      timestamp > known &&
      timestamp < completeTo &&
      !counts.has(timestamp),
  );
  if (missing.length > 0) violations.push(`not received: ${missing.map(({ timestamp }) => timestamp).join(', ')}`);
  return violations;
}

/**
 * Checks what a viewer received of its share: no state after a later one, nothing after the final message, and one
 * before it was closed.
 */
function shareViolations({ role, received, isEnded }: Subscriber): string[] {
  if (role !== 'viewer') return [];
  const messages = received.map(({ message }) => message);
  const sequences = messages.filter(({ type }) => type === 'share.status').map(({ sequence }) => Number(sequence));
  const end = messages.findIndex(isFinal);
  const afterEnd = end < 0 ? [] : messages.slice(end + 1).filter((message) => !isFinal(message));
  return [
    ...sequences.flatMap((sequence, index) => {
      const before = sequences[index - 1] ?? sequence;
      return sequence < before ? [`sequence ${sequence} after ${before}`] : [];
    }),
    ...afterEnd.map(({ type }) => `${String(type)} after the final message`),
    ...(isEnded && end < 0 ? ['closed without a final message'] : []),
  ];
}

/**
 * Violations in what a telemetry socket received: samples of each device in order, late ones never after later ones,
 * once, without gaps, nothing of others, and nothing published after the end; in batches for those that asked for them.
 * @param samples all accepted ones, of any device
 */
export function telemetryViolations(subscriber: Subscriber, samples: readonly PublishedSample[]): string[] {
  const all = subscriber.received.map(({ message }) => message);
  const messages = all
    .flatMap((message) => (message['type'] === BATCH ? samplesIn(message) : [message]))
    .filter(({ type }) => type === 'device.telemetry');
  const foreign = subscriber.received.flatMap(({ message }) => foreignIds(JSON.stringify(message), subscriber.tag));
  const others = messages.filter(({ deviceId }) => !subscriber.deviceIds.includes(String(deviceId)));
  const isTooMuch = subscriber.role === 'viewer' && messages.some((one) => one['jobId'] ?? one['deviceGroupId']);
  return [
    ...all.filter(({ type }) => type === BATCH).flatMap((message) => batchViolations(subscriber, message)),
    ...(foreign.length > 0 ? [`a message with ${foreign.join(', ')} of another organisation`] : []),
    ...(others.length > 0 ? ['a sample of a device that was not subscribed'] : []),
    ...(isTooMuch ? ['a viewer received the job or the group'] : []),
    ...(subscriber.closed && !subscriber.closed.explained
      ? [`closed with ${subscriber.closed.code} unexpectedly`]
      : []),
    ...shareViolations(subscriber),
    ...subscriber.deviceIds.flatMap((deviceId) =>
      deviceViolations(
        subscriber,
        samples.filter((sample) => sample.deviceId === deviceId),
        messages.filter((message) => message['deviceId'] === deviceId),
      ).map((violation) => `${deviceId}: ${violation}`),
    ),
  ];
}

/** A sample as a publisher sent it; times in Unix ms. */
interface SentSample {
  readonly deviceId: string;
  readonly timestamp: number;
}

/** A list of valid samples that was published, and the answer. */
export interface PublishedList {
  readonly jobId: string | undefined;
  /** Whether the samples have data of a vendor, which those of before that are repeated may not have had. */
  readonly isLarge?: boolean;
  /** Whether one of its devices was named with a job before: samples that name none belong to that. */
  readonly mayFly?: boolean;
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
export function replyViolations(list: PublishedList): string[] {
  const { jobId, isLarge, mayFly, news, late, sentAt, accepted, recorded } = list;
  const unsaved = late.filter(({ timestamp }) => sentAt - timestamp < UNSAVED_FOR_MS).length;
  const seconds = new Set([...news, ...late].map(slotOf)).size;
  // A late sample may be the first that names its job, or that has data of a vendor.
  const mayBeAccepted =
    jobId === undefined && !isLarge ? unsaved + Math.min(recorded, late.length - unsaved) : late.length;
  const most = jobId === undefined && !mayFly ? 0 : seconds;
  return [
    ...(recorded < 0 || recorded > most ? [`${recorded} recorded of at most ${most}`] : []),
    ...(recorded > accepted ? [`${recorded} recorded, but only ${accepted} accepted`] : []),
    ...(accepted < news.length ? [`${accepted} accepted of ${news.length} new ones`] : []),
    ...(accepted > news.length + mayBeAccepted
      ? [`${accepted} accepted: ${news.length} are new, ${recorded} recorded`]
      : []),
  ];
}

/** By how much the clocks of a device and of the platform, which says when a flight began and ended, may differ. */
const CLOCKS_DIFFER_MS = 60_000;

/**
 * Violations in the track of a job: every second of the flight that a position was accepted of, once, with the earliest of that
 * second, whatever the order; and nothing else.
 * @param lists all that name the job
 * @param unnamed those that name none, whose samples may belong to it
 */
export function trackViolations(
  { startedFrom, startedBy, endedFrom, endedBy }: FlightWindow,
  lists: readonly PublishedList[],
  track: readonly TrackPosition[],
  unnamed: readonly PublishedList[] = [],
): string[] {
  const violations: string[] = [];
  const all = [...lists, ...unnamed];
  const sent = new Set(all.flatMap(({ news, late }) => [...news, ...late]).map(sampleName));
  const slots = new Map<string, number>();
  for (const position of track) {
    const { timestamp, altitude } = position;
    const slot = slotOf(position);
    if (!sent.has(sampleName(position))) violations.push(`an unpublished position of ${sampleName(position)}`);
    if (altitude !== altitudeAt(timestamp)) violations.push(`another position of ${sampleName(position)}`);
    if (slots.has(slot)) violations.push(`two positions of ${slot}`);
    if (timestamp < startedFrom - CLOCKS_DIFFER_MS || timestamp > endedBy + CLOCKS_DIFFER_MS)
      violations.push(`a position of ${sampleName(position)}, which is not in the flight`);
    slots.set(slot, timestamp);
  }
  const recorded = all.reduce((sum, list) => sum + list.recorded, 0);
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
