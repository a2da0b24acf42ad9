import type { OpenSocket } from '../../bin/client/socket';
import { say } from '../channels/platform';
import type { Caller } from './caller';
import { shakeHands } from './connect';
import { reportJob } from './job-model';
import type { Operation } from './operations';
import { arrive, leave, takeSeat } from './share-model';
import type { Published } from './telemetry-judge';
import { nobodys, type JobRecord, type OpenListener, type ShareRecord, type World } from './world';

type Given<Act extends Operation['act']> = Extract<Operation, { act: Act }>['given'];
type Message = Readonly<Record<string, unknown>>;

/** How long an answer over a socket may take before none is expected any more, in ms. */
const ANSWER_WITHIN_MS = 60_000;

/** A partner's telemetry socket, and how it is asked. */
export interface Asking {
  readonly socket: OpenSocket;
  ask(message: object): Promise<Message>;
}

let asked = 0;

/**
 * Opens a partner's telemetry socket. Gives the status of its refusal when it is refused.
 * @param hear gets what is no answer
 */
export async function openTelemetry(
  world: World,
  caller: Caller,
  hear: (message: Message) => void,
): Promise<Asking | number> {
  const waiting = new Map<unknown, (answer: Message) => void>();
  const { status, socket } = await shakeHands(world.facts, '/telemetry', caller.token, (text) => {
    const message = JSON.parse(text) as Message;
    const answered = waiting.get(message['id']);
    if (answered) answered(message);
    else hear(message);
  });
  if (!socket) return status;
  const ask = (message: object) =>
    new Promise<Message>((resolve, reject) => {
      const id = `model-${++asked}`;
      const late = setTimeout(() => reject(new Error('no answer over the telemetry socket')), ANSWER_WITHIN_MS);
      waiting.set(id, ({ id: _, ...answer }) => {
        clearTimeout(late);
        waiting.delete(id);
        resolve(answer);
      });
      socket.send({ ...message, id });
    });
  return { socket, ask };
}

/** What is used for telemetry over all chapters: a socket of each publisher, and whose turn it is on each device. */
export class Publishers {
  private readonly sockets = new Map<string, Promise<Asking | number>>();
  private readonly turns = new Map<string, Promise<void>>();
  private readonly latest = new Map<string, number>();

  socketOf(world: World, caller: Caller): Promise<Asking | number> {
    const known = this.sockets.get(caller.name) ?? openTelemetry(world, caller, () => undefined);
    this.sockets.set(caller.name, known);
    return known;
  }

  /** One after the other for each device: order is promised to a publisher that waits for its answer. */
  async inTurn(deviceId: string, run: () => Promise<void>): Promise<void> {
    const turn = (this.turns.get(deviceId) ?? Promise.resolve()).then(run);
    this.turns.set(
      deviceId,
      turn.catch(() => undefined),
    );
    await turn;
  }

  /** Timestamps that are later than all before them of a device, in Unix milliseconds. */
  timestamps(deviceId: string, count: number): number[] {
    return Array.from({ length: count }, () => {
      const next = Math.max(Date.now(), (this.latest.get(deviceId) ?? 0) + 1);
      this.latest.set(deviceId, next);
      return next;
    });
  }

  latestOf(deviceId: string): number | undefined {
    return this.latest.get(deviceId);
  }

  async close(): Promise<void> {
    for (const opened of this.sockets.values()) {
      const asking = await opened;
      if (typeof asking !== 'number') asking.socket.close();
    }
  }
}

const sampleOf = (deviceId: string, timestamp: number, job: JobRecord | undefined) => ({
  deviceId,
  timestamp: new Date(timestamp).toISOString(),
  navigation: { position: { type: 'Point', coordinates: [8.5, 47.4, 400 + (timestamp % 100)] } },
  ...(job && { jobId: job.id }),
});

export async function publish(
  world: World,
  publishers: Publishers,
  caller: Caller,
  given: Given<'publish'>,
): Promise<void> {
  const { target, device, count, as, forJob } = given;
  const { organisation } = caller;
  const label = `${caller.name} publishes`;
  const asking = await publishers.socketOf(world, caller);
  // The reader and the writer may open the socket, each for one of its two uses; only one may publish.
  if (typeof asking === 'number') return world.complain(label, `refused with ${asking}`);
  const stranger = world.organisations.find((other) => other !== organisation) ?? organisation;
  const job = forJob ? world.jobFor(caller, { ...target, whose: 'own' }) : undefined;
  const mayBe = caller.may('stream:publish');
  if (!mayBe || target.whose !== 'own') {
    const other = target.whose === 'nobody' ? nobodys('device', organisation) : (stranger.devices[0] ?? '');
    const answer = await asking.ask({ action: 'publish', telemetry: sampleOf(other, Date.now(), undefined) });
    const expected = mayBe ? 'invalid_request' : 'Forbidden';
    if (answer['error'] !== expected) world.complain(label, `${JSON.stringify(answer)} in place of ${expected}`);
    return;
  }
  const deviceId = organisation.devices[device % organisation.devices.length] ?? '';
  await publishers.inTurn(deviceId, async () => {
    const latest = publishers.latestOf(deviceId);
    const isOld = as === 'old' && latest !== undefined;
    const timestamps = isOld ? [latest - 1] : publishers.timestamps(deviceId, count);
    // Its end is known only afterwards; it may be heard before.
    const samples = timestamps.map((timestamp) => ({
      ...{ deviceId, timestamp, start: performance.now(), end: Infinity },
      as: isOld ? ('old' as const) : ('in order' as const),
    }));
    const known = samples.filter(
      ({ timestamp }) => !world.samples.some((one) => one.deviceId === deviceId && one.timestamp === timestamp),
    );
    world.publish(known);
    const answer = await asking.ask({
      action: 'publish',
      telemetry: timestamps.map((at) => sampleOf(deviceId, at, job)),
    });
    for (const sample of known) sample.end = performance.now();
    const isTaken = answer['type'] === 'published' && (isOld || answer['accepted'] === samples.length);
    if (!isTaken) world.complain(label, `${JSON.stringify(answer)} in place of ${samples.length} accepted`);
  });
}

export async function listen(world: World, caller: Caller, { whose, to, device }: Given<'listen'>): Promise<void> {
  const { organisation } = caller;
  const label = `${caller.name} subscribes to a ${to}`;
  const heard: OpenListener['heard'] = [];
  const asking = await openTelemetry(world, caller, (message) => heard.push({ at: performance.now(), message }));
  if (typeof asking === 'number') return world.complain(label, `refused with ${asking}`);
  const others = world.organisations.filter((other) => other !== organisation);
  const owner = whose === 'own' ? organisation : (others[device % others.length] ?? organisation);
  const group = owner.groups[device % owner.groups.length];
  const deviceId = [...owner.devices, owner.reported][device] ?? '';
  const named = to === 'group' ? { deviceGroupId: group?.deviceGroupId } : { deviceId };
  const nobody =
    to === 'group' ? { deviceGroupId: nobodys('group', organisation) } : { deviceId: nobodys('device', organisation) };
  const answer = await asking.ask({ action: 'subscribe', ...(whose === 'nobody' ? nobody : named) });
  const notFound = to === 'group' ? 'Device group not found' : 'Resource not found';
  const refused = !caller.may('resources:read')
    ? 'Forbidden'
    : { own: undefined, foreign: 'Forbidden', nobody: notFound }[whose];
  if (answer['error'] !== refused)
    world.complain(label, `${JSON.stringify(answer)} in place of ${refused ?? 'subscribed'}`);
  if (answer['type'] !== 'subscribed') return asking.socket.close();
  const deviceIds = to === 'group' ? (group?.devices ?? []).map((each) => each.deviceId) : [deviceId];
  const listener: OpenListener = {
    ...{ who: 'partner', tag: organisation.tag, deviceIds, heard, from: performance.now() },
    leave: async () => {
      listener.until ??= performance.now();
      if (listener.closed) return;
      await asking.ask({ action: 'unsubscribe', ...named });
      listener.over ??= performance.now();
      asking.socket.close();
    },
  };
  world.listeners.push(listener);
  void asking.socket.closed.then((code) => (listener.closed = { at: performance.now(), code }));
}

export async function watch(world: World, caller: Caller, share: ShareRecord | undefined): Promise<void> {
  const shareCode = share?.id ?? nobodys('share', caller.organisation);
  const heard: OpenListener['heard'] = [];
  const hear = (text: string) => heard.push({ at: performance.now(), message: JSON.parse(text) as Message });
  const path = `/telemetry?${new URLSearchParams({ shareCode }).toString()}`;
  const { status, socket, start, end } = await shakeHands(world.facts, path, undefined, hear);
  const label = `a viewer comes → ${status}`;
  if (!share) {
    if (status !== 404) world.complain(label, "nobody's share is there");
    return;
  }
  share.steps.push(arrive({ start, end, label }, status));
  if (status !== 404)
    share.steps.push(takeSeat({ start, end, label: `${label} for a seat` }, status, share.maxViewers));
  if (!socket) return;
  const goes = { label: 'a viewer goes' };
  const listener: OpenListener = {
    ...{ who: 'viewer', tag: share.organisation.tag, deviceIds: [share.deviceId], heard, share, from: end },
    leave: async () => {
      listener.until ??= performance.now();
      share.steps.push(leave({ ...goes, start: listener.until }));
      socket.close();
      await socket.closed;
    },
  };
  world.listeners.push(listener);
  void socket.closed.then((code) => {
    listener.closed = { at: performance.now(), code };
    if (listener.until === undefined)
      share.steps.push(leave({ ...goes, start: share.revoked?.start ?? listener.from }));
  });
}

/** Ends one of the organisation's listeners or viewers, if it has any. */
export async function stop(world: World, who: OpenListener['who'], caller: Caller, pick: number): Promise<void> {
  const own = world.listeners.filter((one) => one.who === who && one.tag === caller.organisation.tag);
  const open = own.filter(({ until, closed }) => until === undefined && !closed);
  await open[pick % Math.max(open.length, 1)]?.leave();
}

/** The drone platform reports how far a job is. What it says takes effect at some time from then on. */
export async function reportStatus(
  world: World,
  job: JobRecord | undefined,
  jobId: string,
  status: string,
): Promise<void> {
  const start = performance.now();
  const label = `the platform reports ${status}`;
  job?.reports.push(reportJob({ start, end: Infinity, label }, status));
  await say('job.status.reported', { jobId, status, at: new Date().toISOString() }, new Date());
}

export async function reportTelemetry(
  world: World,
  publishers: Publishers,
  deviceId: string,
  count: number,
): Promise<void> {
  const timestamps = publishers.timestamps(deviceId, count);
  const start = performance.now();
  world.publish(
    timestamps.map((timestamp): Published => ({ deviceId, timestamp, start, end: Infinity, as: 'reported' })),
  );
  const telemetry = timestamps.map((timestamp) => sampleOf(deviceId, timestamp, undefined));
  await say('device.telemetry.reported', { telemetry }, new Date());
}
