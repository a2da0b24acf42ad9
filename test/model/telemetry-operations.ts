import { setTimeout as pause } from 'node:timers/promises';
import { publishPlatformEvent } from '../channels/platform-bus';
import type { Caller } from './caller';
import { openWebSocket } from './connections';
import { reportJob } from './job-model';
import type { Operation } from './operations';
import { viewerHandshake, releaseSeat, takeSeat } from './share-model';
import { type PublishedSample, altitudeAt, replyViolations } from './telemetry-violations';
import { openTelemetry, type Message, type Publishers } from './telemetry-socket';
import {
  unknownId,
  type JobRecord,
  type OpenSubscriber,
  type ShareRecord,
  type HistoryRecorder,
} from './history-recorder';

type Input<Name extends Operation['name']> = Extract<Operation, { name: Name }>['input'];
/** Large samples of a message: of two devices, and of a mixed list twice as many. */
const MAX_LARGE = 4;
/** Four samples with it fit into a frame of 32 KB, but not into a batch: those have more fields. */
const LARGE_TEXT = 'x'.repeat(7850);
/** How long the snapshots of a new follower may take, in ms. */
const SNAPSHOTS_WITHIN_MS = 20_000;
/** A sample so far ahead of the clock is refused. */
const TOO_FAR_AHEAD_MS = 3_600_000;

const sampleOf = (deviceId: string, timestamp: number, job: JobRecord | undefined) => ({
  deviceId,
  timestamp: new Date(timestamp).toISOString(),
  navigation: { position: { type: 'Point', coordinates: [8.5, 47.4, altitudeAt(timestamp)] } },
  ...(job && { jobId: job.id }),
});

export async function publish(
  recorder: HistoryRecorder,
  publishers: Publishers,
  caller: Caller,
  input: Input<'publish'>,
): Promise<void> {
  const { target, device, forJob, isLarge, withRefused } = input;
  const { organisation } = caller;
  const label = `${caller.name} publishes`;
  const telemetrySocket = await publishers.socketOf(recorder, caller);
  // Clients without the publish scope may still open the socket.
  if (typeof telemetrySocket === 'number') {
    recorder.addViolation(label, `refused with ${telemetrySocket}`);
    return;
  }
  const otherOrganisation = recorder.organisations.find((other) => other !== organisation) ?? organisation;
  const isAllowed = caller.hasScope('stream:publish');
  if (!isAllowed || target.whose !== 'own') {
    const other = target.whose === 'unknown' ? unknownId('device', organisation) : (otherOrganisation.devices[0] ?? '');
    const answer = await telemetrySocket.request({
      action: 'publish',
      telemetry: sampleOf(other, Date.now(), undefined),
    });
    const expected = isAllowed ? 'invalid_request' : 'Forbidden';
    if (answer['error'] !== expected) recorder.addViolation(label, `${JSON.stringify(answer)} instead of ${expected}`);
    return;
  }
  const wanted = organisation.devices[device];
  const deviceIds = wanted === undefined ? organisation.devices : [wanted];
  const named = forJob
    ? (recorder.flownJobOf(caller) ?? recorder.jobFor(caller, { ...target, whose: 'own' }))
    : undefined;
  // Samples of another device than that of the job would be refused.
  const only = named?.fixed['deviceId'];
  const job = deviceIds.every((deviceId) => deviceId === (only ?? deviceId)) ? named : undefined;
  await publishers.enqueueAll(deviceIds, async () => {
    const parts = deviceIds.map((deviceId) => samplesOf(recorder, publishers, deviceId, input));
    const [news, late] = [parts.flatMap((part) => part.news), parts.flatMap((part) => part.late)];
    // Recorded before the answer, since subscribers may receive it earlier.
    const start = performance.now();
    const samples = [
      ...news.map((sample): PublishedSample => ({ ...sample, start, end: Infinity, as: 'in order' })),
      ...late.map((sample): PublishedSample => ({ ...sample, start, end: Infinity, as: 'late' })),
    ];
    const known = samples.filter(
      ({ deviceId, timestamp }) =>
        !recorder.samples.some((one) => one.deviceId === deviceId && one.timestamp === timestamp),
    );
    recorder.addSamples(known);
    for (const one of recorder.samples)
      if (late.some((each) => each.deviceId === one.deviceId && each.timestamp === one.timestamp))
        Object.assign(one, { isRepeated: !known.includes(one), mayAdd: one.mayAdd || job !== undefined || isLarge });
    const sentAt = Date.now();
    const valid = [...late, ...news].map(({ deviceId, timestamp }) => ({
      ...sampleOf(deviceId, timestamp, job),
      ...(isLarge && { sensorPayload: { text: LARGE_TEXT } }),
    }));
    const refused = withRefused ? [sampleOf(deviceIds[0] ?? '', sentAt + TOO_FAR_AHEAD_MS, undefined)] : [];
    const answer = await telemetrySocket.request({ action: 'publish', telemetry: [...refused, ...valid] });
    for (const sample of known) (sample as { end: number }).end = performance.now();
    const [accepted, recorded] = [Number(answer['accepted']), Number(answer['recorded'])];
    const mayFly = recorder.lists.some(
      (one) =>
        one.jobId !== undefined && [...one.news, ...one.late].some(({ deviceId }) => deviceIds.includes(deviceId)),
    );
    const list = { jobId: job?.id, isLarge, mayFly, news, late, sentAt, accepted, recorded };
    recorder.lists.push(list);
    const places = ((answer['refused'] ?? []) as { readonly index: number }[]).map(({ index }) => index);
    if (answer['type'] !== 'published' || places.join() !== (withRefused ? '0' : ''))
      recorder.addViolation(
        label,
        `${JSON.stringify(answer)} to ${refused.length} that are refused of ${valid.length + refused.length}`,
      );
    else for (const violation of replyViolations(list)) recorder.addViolation(label, violation);
  });
}

/** The samples of a device that are published together: late and repeated ones only after others of the batch. */
function samplesOf(
  recorder: HistoryRecorder,
  publishers: Publishers,
  deviceId: string,
  { as, count, isLarge }: Input<'publish'>,
) {
  const earlier = recorder.samples.filter((one) => one.deviceId === deviceId);
  const named = (timestamps: readonly number[]) => timestamps.map((timestamp) => ({ deviceId, timestamp }));
  const many = isLarge ? Math.min(count, MAX_LARGE / (as === 'mixed' ? 4 : 2)) : count;
  const isFirst = !earlier.some((one) => one.as === 'in order');
  if (as === 'repeated' && !isFirst)
    return { news: [], late: named(earlier.slice(-many).map(({ timestamp }) => timestamp)) };
  const late = as === 'in order' || isFirst ? [] : named(publishers.lateTimestamps(deviceId, many));
  const news = as === 'late' && !isFirst ? [] : named(publishers.timestamps(deviceId, many));
  return { news, late };
}

export async function subscribe(
  recorder: HistoryRecorder,
  caller: Caller,
  { whose, to, device, batch }: Input<'subscribe'>,
): Promise<void> {
  const { organisation } = caller;
  const label = `${caller.name} subscribes to a ${to}`;
  const received: OpenSubscriber['received'] = [];
  let hasAllSnapshots = () => {};
  const snapshotEnd = new Promise<void>((resolve) => (hasAllSnapshots = resolve));
  const telemetrySocket = await openTelemetry(recorder, caller, (message) => {
    received.push({ at: performance.now(), message });
    if (message['type'] === 'snapshot.end') hasAllSnapshots();
  });
  if (typeof telemetrySocket === 'number') {
    recorder.addViolation(label, `refused with ${telemetrySocket}`);
    return;
  }
  const others = recorder.organisations.filter((other) => other !== organisation);
  const owner = whose === 'own' ? organisation : (others[device % others.length] ?? organisation);
  const group = owner.groups[device % owner.groups.length];
  const deviceId = [...owner.devices, owner.platformDevice][device] ?? '';
  const named = to === 'group' ? { deviceGroupId: group?.deviceGroupId } : { deviceId };
  const unknown =
    to === 'group'
      ? { deviceGroupId: unknownId('group', organisation) }
      : { deviceId: unknownId('device', organisation) };
  const answer = await telemetrySocket.request({
    action: 'subscribe',
    ...(whose === 'unknown' ? unknown : named),
    ...(batch && { batch }),
  });
  const notFound = to === 'group' ? 'Device group not found' : 'Resource not found';
  const refused = !caller.hasScope('resources:read')
    ? 'Forbidden'
    : { own: undefined, foreign: 'Forbidden', unknown: notFound }[whose];
  if (answer['error'] !== refused)
    recorder.addViolation(label, `${JSON.stringify(answer)} instead of ${refused ?? 'subscribed'}`);
  if (answer['type'] !== 'subscribed') {
    telemetrySocket.socket.close();
    return;
  }
  // From then on no sample may be missing.
  const isComplete = await Promise.race([snapshotEnd.then(() => true), pause(SNAPSHOTS_WITHIN_MS, false)]);
  if (!isComplete) recorder.addViolation(label, 'no snapshot.end');
  const deviceIds = to === 'group' ? (group?.devices ?? []).map((each) => each.deviceId) : [deviceId];
  const subscriber: OpenSubscriber = {
    role: 'partner',
    tag: organisation.tag,
    deviceIds,
    batch,
    received,
    from: performance.now(),
    leave: async () => {
      subscriber.leavesAt ??= performance.now();
      if (subscriber.closed) return;
      await telemetrySocket.request({ action: 'unsubscribe', ...named });
      subscriber.leftAt ??= performance.now();
      telemetrySocket.socket.close();
    },
  };
  recorder.subscribers.push(subscriber);
  void telemetrySocket.socket.closed.then((code) => (subscriber.closed = { at: performance.now(), code }));
}

export async function watch(recorder: HistoryRecorder, caller: Caller, share: ShareRecord | undefined): Promise<void> {
  const shareCode = share?.id ?? unknownId('share', caller.organisation);
  const received: OpenSubscriber['received'] = [];
  let hasSnapshot = () => {};
  const snapshot = new Promise<void>((resolve) => (hasSnapshot = resolve));
  const onMessage = (text: string) => {
    const message = JSON.parse(text) as Message;
    received.push({ at: performance.now(), message });
    if (message['type'] === 'device.telemetry') hasSnapshot();
  };
  const path = `/telemetry?${new URLSearchParams({ shareCode }).toString()}`;
  const { status, socket, start, end } = await openWebSocket(recorder.facts, path, undefined, onMessage);
  const label = `a viewer connects → ${status}`;
  if (!share) {
    if (status !== 404) recorder.addViolation(label, 'an unknown share was accepted');
    return;
  }
  share.steps.push(viewerHandshake({ start, end, label }, status));
  if (status !== 404)
    share.steps.push(takeSeat({ start, end, label: `${label} for a seat` }, status, share.maxViewers));
  if (!socket) return;
  const leaving = { label: 'a viewer leaves' };
  const subscriber: OpenSubscriber = {
    role: 'viewer',
    tag: share.organisation.tag,
    deviceIds: [share.deviceId],
    batch: false,
    received,
    share,
    from: Infinity,
    leave: async () => {
      subscriber.leavesAt ??= performance.now();
      share.steps.push(releaseSeat({ ...leaving, start: subscriber.leavesAt }));
      socket.close();
      await socket.closed;
    },
  };
  recorder.subscribers.push(subscriber);
  // A device that never reported has no snapshot.
  void Promise.race([snapshot, pause(SNAPSHOTS_WITHIN_MS)]).then(() => (subscriber.from = performance.now()));
  void socket.closed.then((code) => {
    subscriber.closed = { at: performance.now(), code };
    if (subscriber.leavesAt === undefined)
      share.steps.push(releaseSeat({ ...leaving, start: share.revoked?.start ?? end }));
  });
}

/** Disconnects one of the organisation's subscribers or viewers, if any. */
export async function stop(
  recorder: HistoryRecorder,
  who: OpenSubscriber['role'],
  caller: Caller,
  pick: number,
): Promise<void> {
  const own = recorder.subscribers.filter((one) => one.role === who && one.tag === caller.organisation.tag);
  const open = own.filter(({ leavesAt, closed }) => leavesAt === undefined && !closed);
  await open[pick % Math.max(open.length, 1)]?.leave();
}

/** Reports a job's status as the drone platform. It takes effect at some later time, or never if its own time is impossible. */
export async function reportStatus(
  recorder: HistoryRecorder,
  job: JobRecord | undefined,
  jobId: string,
  { status, minutesAhead }: { readonly status: string; readonly minutesAhead: number },
): Promise<void> {
  const start = performance.now();
  const now = new Date();
  const at = new Date(now.getTime() + minutesAhead * 60_000).toISOString();
  const label = `the platform reports ${status}${minutesAhead === 0 ? '' : ` at ${at}`}`;
  job?.reports.push(reportJob({ start, end: Infinity, label }, { status, at }, minutesAhead !== 0));
  job?.statuses.attempts.push({ status, at: now.getTime() });
  await publishPlatformEvent('job.status.reported', { jobId, status, at }, now);
}

export async function reportTelemetry(
  recorder: HistoryRecorder,
  publishers: Publishers,
  deviceId: string,
  count: number,
): Promise<void> {
  const timestamps = publishers.timestamps(deviceId, count);
  const start = performance.now();
  recorder.addSamples(
    timestamps.map((timestamp): PublishedSample => ({ deviceId, timestamp, start, end: Infinity, as: 'reported' })),
  );
  const telemetry = timestamps.map((timestamp) => sampleOf(deviceId, timestamp, undefined));
  await publishPlatformEvent('device.telemetry.reported', { telemetry }, new Date());
}
