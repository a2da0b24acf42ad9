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
export const UNSAVED_FOR_MS = 5000;

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
    const mayBeNew = (sample.as === 'late' || sample.isRepeated) && wasUnsaved(message);
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
