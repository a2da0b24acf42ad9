import fc from 'fast-check';
import { channelsOf, type Channel } from '../../contract/channels/status-channels';
import { subjectOf } from '../../domain/channels/sequence';
import type { StatusMessage } from '../../domain/channels/status-message';
import type { Client } from '../api/client';
import { CutOffFollower, CutOffReader } from './cut-off';
import { byResource, CHANGES_IN_ROUND, givenChanges, madeBy, type Change, type Made } from './many-changes';
import { numberIn } from './resume';
import { quiet, until } from './until';

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
  events.toSorted((one, other) => subjectOf(one).localeCompare(subjectOf(other)));

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
 * every client every change of what it follows exactly once and in the order of the log, over WSS for each resource, when it drops
 * repeats by cursor.
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
      channelsOf(event).some((channel) => channel.kind === kind && channel.id === id);
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
