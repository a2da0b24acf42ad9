import { foreignIds, type Heard } from './channel-judge';

/** A sample that was published. Moments in ms; `timestamp` is the sample's own, in Unix milliseconds. */
export interface Published {
  readonly deviceId: string;
  readonly timestamp: number;
  readonly start: number;
  readonly end: number;
  /**
   * `in order`: by one publisher that waits for each answer; `old`: not later than one before it; `reported`: by the
   * platform's bus, which promises no order.
   */
  readonly as: 'in order' | 'old' | 'reported';
}

/** Who hears samples, and what came. */
export interface Listener {
  readonly who: 'partner' | 'viewer';
  readonly tag: string;
  readonly deviceIds: readonly string[];
  readonly heard: readonly Heard[];
  /** What is published from then on is heard. */
  readonly from: number;
  /** What is published from then on need not be heard any more. */
  readonly until: number;
  /** What is published from then on must not be heard: unsubscribing or revoking has been answered. */
  readonly over: number;
  /** The server has ended the connection; `explained`: its share was revoked, or it left by itself. */
  readonly closed?: { readonly code: number; readonly explained: boolean } | undefined;
}

const momentOf = ({ timestamp }: Heard['message']) => Date.parse(String(timestamp));

/** What one device is heard to say. */
function faultsOfDevice(listener: Listener, samples: readonly Published[], messages: readonly Heard['message'][]) {
  const faults: string[] = [];
  const published = new Map(samples.map((sample) => [sample.timestamp, sample]));
  const snapshots = messages.filter(({ snapshot }) => snapshot === true);
  const live = messages.filter(({ snapshot }) => snapshot !== true);
  if (snapshots.length > 1 || (snapshots.length === 1 && messages[0] !== snapshots[0]))
    faults.push('a snapshot that is not the first message');
  const known = snapshots[0] ? momentOf(snapshots[0]) : -Infinity;
  const counts = new Map<number, number>();
  let last = known;
  for (const message of live) {
    const moment = momentOf(message);
    const sample = published.get(moment);
    counts.set(moment, (counts.get(moment) ?? 0) + 1);
    if (!sample) faults.push(`a sample of ${moment} that nobody published`);
    else if (sample.start > listener.over) faults.push(`a sample of ${moment} that was published after the end`);
    if (sample?.as !== 'in order') continue;
    if (moment <= last && counts.get(moment) === 1) faults.push(`a sample of ${moment} after one of ${last}`);
    last = Math.max(last, moment);
  }
  for (const { timestamp, as } of samples)
    if (as === 'in order' && (counts.get(timestamp) ?? 0) > 1) faults.push(`the sample of ${timestamp} more than once`);
  // Who leaves, or whose share goes, may not have been told yet what came last; nothing is left out before that.
  const heardTo = listener.until === Infinity ? Infinity : last;
  const missing = samples.filter(
    ({ timestamp, as, start, end }) =>
      as === 'in order' &&
      start > listener.from &&
      end < listener.until &&
      timestamp > known &&
      timestamp < heardTo &&
      !counts.has(timestamp),
  );
  if (missing.length > 0) faults.push(`not heard: ${missing.map(({ timestamp }) => timestamp).join(', ')}`);
  return faults;
}

/**
 * What can't be explained of what a telemetry socket has heard: each device in order, each sample once, none missing from
 * the beginning on, nothing of others, and nothing that was published after it was over.
 * @param samples all that were accepted, of any device
 */
export function telemetryFaults(listener: Listener, samples: readonly Published[]): string[] {
  const messages = listener.heard.map(({ message }) => message).filter(({ type }) => type === 'device.telemetry');
  const foreign = listener.heard.flatMap(({ message }) => foreignIds(JSON.stringify(message), listener.tag));
  const others = messages.filter(({ deviceId }) => !listener.deviceIds.includes(String(deviceId)));
  const isTooMuch = listener.who === 'viewer' && messages.some((one) => one['jobId'] ?? one['deviceGroupId']);
  return [
    ...(foreign.length > 0 ? [`a message that names ${foreign.join(', ')} of another organisation`] : []),
    ...(others.length > 0 ? ['a sample of a device that was not asked for'] : []),
    ...(isTooMuch ? ['a viewer is told of the job or the group'] : []),
    ...(listener.closed && !listener.closed.explained ? [`closed with ${listener.closed.code} for no reason`] : []),
    ...listener.deviceIds.flatMap((deviceId) =>
      faultsOfDevice(
        listener,
        samples.filter((sample) => sample.deviceId === deviceId),
        messages.filter((message) => message['deviceId'] === deviceId),
      ).map((fault) => `${deviceId}: ${fault}`),
    ),
  ];
}
