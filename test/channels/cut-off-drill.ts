import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { WebSocket } from 'ws';
import { findChannels, type Channel } from '../../contract/channels/status-channels';
import { messageSubject } from '../../domain/channels/sequence';
import type { StatusMessage } from '../../domain/channels/status-message';
import type { Client } from '../api/client';
import { numberIn } from './resume';
import { quiet, until } from './until';
import { readFacts } from '../api/stack/facts';
import type { Message } from './message-log';
import { pathOf } from './socket';
import { fleetOf, givenJob, givenShare } from '../api/given';
import { goOffline, report } from './device-reports';
import { sampleOf } from './telemetry-socket';

/** Sockets that a test has left open. */
const open = new Set<WebSocket>();
afterEach(() => {
  for (const left of open) left.terminate();
  open.clear();
});

/** A client that drops repeats by cursor, and goes on with the last cursor that it has. */
abstract class Receiver {
  /** Each change as it came first, by cursor, in the order of arrival. */
  readonly received = new Map<string, Message>();
  protected known: string;

  constructor(
    protected readonly client: Client,
    private readonly beginning: string,
  ) {
    this.known = beginning;
  }

  protected keep({ replayed: _, ...event }: Message): void {
    const cursor = String(event['cursor']);
    this.known = cursor;
    // On the channel of a group the replay begins some seconds before the cursor.
    if (cursor > this.beginning && !this.received.has(cursor)) this.received.set(cursor, event);
  }
}

/** Follows a channel over WSS; its connection is lost again and again. */
class CutOffFollower extends Receiver {
  /** What must not come: refused handshakes, gaps, snapshots. */
  readonly failures: unknown[] = [];

  constructor(
    client: Client,
    readonly channel: Channel,
    after: string,
  ) {
    super(client, after);
  }

  private take(message: Message): void {
    const { type, cursor, snapshot } = message;
    if (type === 'resumed') this.known = String(cursor);
    else if (type === 'gap' || snapshot) this.failures.push(message);
    // Positions and heartbeats have no cursor.
    else if (cursor !== undefined) this.keep(message);
  }

  private async connect(): Promise<WebSocket> {
    const headers = { authorization: `Bearer ${await this.client.token()}` };
    const { wsUrl } = readFacts();
    const socket = new WebSocket(`${wsUrl}${pathOf(this.channel)}?after=${this.known}`, { headers });
    open.add(socket);
    socket.on('message', (data: Buffer) => this.take(JSON.parse(data.toString()) as Message));
    socket.on('error', (error) => this.failures.push(error));
    return socket;
  }

  /** Connects, and is cut off. @param moments in ms, each after the handshake has begun or after the first message */
  async cutOff(moments: readonly number[], cut: () => void): Promise<void> {
    for (const [index, moment] of moments.entries()) {
      const socket = await this.connect();
      // The service closes a socket that takes a message too slowly, as on a busy machine.
      if (index % 3) await Promise.race([once(socket, 'message'), once(socket, 'close')]);
      await pause(moment);
      socket.removeAllListeners();
      // A handshake that is cut off ends with an error.
      socket.on('error', () => undefined).terminate();
      open.delete(socket);
      cut();
    }
  }

  /** Connects once more, and again when it is closed, and waits for a change. */
  async goOnTo(cursor: string | undefined): Promise<void> {
    let socket = await this.connect();
    const hasCome = async () => {
      if (socket.readyState === WebSocket.CLOSED) socket = await this.connect();
      return cursor === undefined || this.received.has(cursor) || undefined;
    };
    await until(`receiving ${cursor}`, hasCome, () => [this.failures, ...this.received.keys()]);
  }
}

/** Reads the feed; it ends again and again between receiving a page and storing the cursor of its last event. */
class CutOffReader extends Receiver {
  private async page(wait: number) {
    const query = { after: this.known, limit: '100', wait: String(wait) };
    const { status, body } = await this.client.call('GET /v3/events', { query });
    expect([status, body.details]).toEqual([200, undefined]);
    return body;
  }

  /** Reads pages, but keeps a part of each, and stores the cursor of an event before the last one that it keeps. */
  async cutOff(moments: readonly number[], cut: () => void): Promise<void> {
    for (const moment of moments) {
      await pause(moment);
      const { events } = await this.page(1);
      const kept = events.slice(0, moment % (events.length + 1));
      for (const event of kept) this.keep(event);
      this.known = kept[Math.floor(kept.length / 2)]?.cursor ?? this.known;
      cut();
    }
  }

  /** Reads on as far as a cursor. */
  async goOnTo(last: string): Promise<void> {
    while (this.known < last) {
      const { events, cursor } = await this.page(20);
      for (const event of events) this.keep(event);
      this.known = cursor;
    }
  }
}

/** A resource and the state that a change led to. */
interface Made {
  readonly id: string;
  readonly state: string;
}

/** Makes a change. */
type Change = () => Promise<Made>;

const moves = ['QUEUED', 'IN_PROGRESS', 'COMPLETED'] as const;
/** A round: each of four devices goes online and offline, a job moves on, and a share is created or ends. */
const CHANGES_IN_ROUND = 10;

/** The state that an event is about. */
const madeBy = ({ jobId, deviceId, shareCode, jobState, status, shareState }: Message): Made => ({
  id: String(shareCode ?? (jobState === undefined ? deviceId : jobId)),
  state: String(jobState ?? status ?? shareState),
});

/** Sorted by resource; what happened to one of them keeps its order. */
const byResource = (made: readonly Made[]) =>
  made.toSorted((one, other) => (one.id < other.id ? -1 : Number(one.id > other.id)));

const setOnline =
  (deviceId: string): Change =>
  async () => {
    const { deviceId: _, ...state } = sampleOf(deviceId, { droneState: 'DOCKED' });
    await report(deviceId, state);
    return { id: deviceId, state: 'online' };
  };

const setOffline =
  (deviceId: string): Change =>
  async () => {
    await goOffline(deviceId);
    return { id: deviceId, state: 'offline' };
  };

const moveJob =
  (client: Client, jobId: string, status: (typeof moves)[number]): Change =>
  async () => {
    const answer = await client.call('PATCH /v3/jobs/{jobId}', { path: { jobId }, body: { status } });
    expect(answer.status).toBe(200);
    return { id: jobId, state: status };
  };

/** Creates a share, and ends it. */
function shareChanges(client: Client): readonly [Change, Change] {
  let shareCode = '';
  const create = async () => {
    ({ shareCode } = await givenShare(client));
    return { id: shareCode, state: 'ACTIVE' };
  };
  const revoke = async () => {
    const { status } = await client.call('DELETE /v3/shares/{shareCode}', { path: { shareCode } });
    expect(status).toBe(200);
    return { id: shareCode, state: 'REVOKED' };
  };
  return [create, revoke];
}

/**
 * Creates jobs for rounds of changes.
 * @param partners clients of an organisation, which take turns, since each may create so many jobs and shares a minute
 * @returns `lanes`: changes to make one after the other, those of different lanes at once
 */
async function givenChanges([first, ...others]: readonly [Client, ...Client[]], rounds: number) {
  const partners = [first, ...others];
  const inTurn = (index: number) => partners[index % partners.length] ?? first;
  const jobCount = Math.ceil(rounds / moves.length);
  const jobs = await Promise.all(Array.from({ length: jobCount }, (_, index) => givenJob(inTurn(index))));
  const devices = first.credentials.deviceGroups.flatMap((group) => group.devices.map(({ deviceId }) => deviceId));
  const everyRound = Array.from({ length: rounds });
  const lanes: Change[][] = [
    ...devices.map((deviceId) => everyRound.flatMap(() => [setOnline(deviceId), setOffline(deviceId)])),
    jobs.flatMap(({ jobId }, index) => moves.map((status) => moveJob(inTurn(index), jobId, status))).slice(0, rounds),
    everyRound.flatMap((_, index) => shareChanges(inTurn(index))).slice(0, rounds),
  ];
  const { deviceGroupId, otherGroupId } = fleetOf(first);
  return { lanes, jobIds: jobs.map(({ jobId }) => jobId), groupIds: [deviceGroupId, otherGroupId] };
}

/** When a client is cut off, in ms: at once, soon, and when it has received some changes. */
const moments = fc.oneof(fc.constant(0), fc.nat(100), fc.nat(1000));

export interface CutOffs {
  /** Over WSS, and as many at the feed. */
  readonly clients: number;
  /** Of each client. */
  readonly cuts: number;
  readonly changes: number;
  /** Of the moments at which clients are cut off. */
  readonly seed: number;
}

/** The events after a cursor, as soon as there are so many. */
async function readLog(client: Client, beginning: string, count: number) {
  const events: (StatusMessage & { readonly cursor: string })[] = [];
  for (let after = beginning; events.length < count;) {
    const query = { after, limit: '100', wait: '20' };
    const { status, body } = await client.call('GET /v3/events', { query });
    expect(status).toBe(200);
    if (body.count === 0) throw new Error(`the log has ${events.length} of ${count} changes`);
    events.push(...(body.events as typeof events));
    after = body.cursor;
  }
  return events;
}

/** Events by what they are about, in the order in which they came. */
const bySubject = (events: readonly StatusMessage[]) =>
  events.toSorted((one, other) => messageSubject(one).localeCompare(messageSubject(other)));

/** The channels to follow: each group twice as often as a job, of which some change early and some late. */
function channelsToFollow(count: number, groupIds: readonly string[], jobIds: readonly string[]): Channel[] {
  return Array.from({ length: count }, (_, index) =>
    index % 5 === 4
      ? { kind: 'job', id: jobIds[Math.floor((index / count) * jobIds.length)] ?? '' }
      : { kind: 'group', id: groupIds[index % 2] ?? '' },
  );
}

/**
 * Cuts clients off while jobs, devices and shares of their organisation change. Fails unless the log has what was changed, and
 * every client every change of what it follows exactly once and in the order of the log, over WSS for each resource,
 * when it drops repeats by cursor.
 */
export async function cutOffDrill(partners: readonly [Client, ...Client[]], { clients, cuts, changes, seed }: CutOffs) {
  const [first] = partners;
  const inTurn = (index: number) => partners[index % partners.length] ?? first;
  const { cursor } = (await first.call('GET /v3/events')).body;
  const given = await givenChanges(partners, changes / CHANGES_IN_ROUND);
  const beginning = (await readLog(first, cursor, given.jobIds.length)).at(-1)?.cursor ?? cursor;

  const followers = channelsToFollow(clients, given.groupIds, given.jobIds).map(
    (channel, index) => new CutOffFollower(inTurn(index), channel, beginning),
  );
  const readers = Array.from({ length: clients }, (_, index) => new CutOffReader(inTurn(index), beginning));
  const everyone = [...followers, ...readers];
  let count = 0;
  const momentsOf = (index: number) => fc.sample(moments, { seed: seed + index, numRuns: cuts });
  const cutOff = everyone.map((each, index) =>
    each.cutOff(momentsOf(index), () => void (count += Number(each instanceof CutOffFollower))),
  );

  const made: Made[] = [];
  // In proportion to the cuts of connections, so that both last equally long.
  const changeOneByOne = async (lane: readonly Change[]) => {
    for (const [index, make] of lane.entries()) {
      const due = (index / lane.length) * followers.length * cuts;
      await until(
        `cutting off ${due} times`,
        () => count >= due || undefined,
        () => count,
      );
      made.push(await make());
    }
  };
  await Promise.all([...given.lanes.map(changeOneByOne), ...cutOff]);

  const log = await readLog(first, beginning, changes);
  expect(byResource(log.map(madeBy))).toEqual(byResource(made));
  const numbers = log.map((event) => numberIn(event.cursor));
  expect(numbers).toEqual(numbers.map((_, index) => numberIn(beginning) + 1 + index));
  const isOn =
    ({ kind, id }: Channel) =>
    (event: StatusMessage) =>
      findChannels(event).some((channel) => channel.kind === kind && channel.id === id);
  const expected = followers.map(({ channel }) => log.filter(isOn(channel)));
  await Promise.all([
    ...followers.map((each, index) => each.goOnTo(expected[index]?.at(-1)?.cursor)),
    ...readers.map((each) => each.goOnTo(log.at(-1)?.cursor ?? '')),
  ]);
  await quiet();
  followers.forEach(({ received, failures }, index) => {
    expect(failures).toEqual([]);
    // The devices of a group are published at the same time.
    expect(bySubject([...received.values()] as unknown as StatusMessage[])).toEqual(bySubject(expected[index] ?? []));
  });
  for (const { received } of readers) expect([...received.values()]).toEqual(log);
}
