import { UpdateCommand, type UpdateCommandOutput } from '@aws-sdk/lib-dynamodb';
import { takeWaitingSeat } from '../../../data/events/take-waiting-seat';
import { MAX_WAITING_OF_CLIENT, seatShards } from '../../../domain/events/waiting-seats';
import { storeOnEngine } from '../fixtures/engine';
import { sent, store } from '../fixtures/store';

const engine = storeOnEngine('requests');

const WAIT_MS = 20_000;
const HOUR_MS = 3_600_000;
/** Seats of one test have ended in the next, and so has what the function remembers of them. */
let now = 1795775400000;
let units: number;

beforeEach(() => {
  now += HOUR_MS;
  units = 0;
  process.env['MAX_WAITING_CALLS'] = '300';
  store.on(UpdateCommand).callsFake(async (input: object) => {
    const answer: Partial<UpdateCommandOutput> = await engine.answers('UpdateCommand')({
      ...input,
      ReturnConsumedCapacity: 'TOTAL',
    });
    units += answer.ConsumedCapacity?.CapacityUnits ?? 0;
    return answer;
  });
});

const take = (clientId: string, endsAt = now + WAIT_MS) => takeWaitingSeat({ clientId, now, endsAt });
const takeFive = (clientId: string) => Promise.all(Array.from({ length: MAX_WAITING_OF_CLIENT }, () => take(clientId)));
const refusal = {
  code: 'too_many_requests',
  details: [{ path: 'wait', message: 'at most 5 calls of a client wait at the same time' }],
};

/** Items with seats that are taken, by key. */
async function taken(): Promise<Record<string, number>> {
  const counted = (await engine.all('requests')).map(({ id, seats }) => [
    String(id),
    [...((seats as Set<string> | undefined) ?? [])].filter((seat) => Number(seat.split(' ')[0]) > now).length,
  ]);
  return Object.fromEntries(counted.filter(([, count]) => Number(count) > 0)) as Record<string, number>;
}
const sum = (counts: Record<string, number>) => Object.values(counts).reduce((total, each) => total + each, 0);

describe('takeWaitingSeat', () => {
  test('takes a seat of the client and one of the total, which a release gives back: four write units', async () => {
    const release = await take('one');
    expect(Object.keys(await taken()).sort()).toEqual([
      'waiting#client#one',
      expect.stringMatching(/^waiting#shard#([0-9]|1[01])$/),
    ]);
    await release?.();
    expect(await taken()).toEqual({});
    expect(sent()).toHaveLength(4);
    expect(units).toBe(4);
  });

  test('refuses the sixth call of a client, until one of the five gives its seat back', async () => {
    const [release] = await takeFive('one');
    await expect(take('one')).rejects.toMatchObject(refusal);
    expect(await take('other')).toBeDefined();
    await release?.();
    expect(await take('one')).toBeDefined();
    await expect(take('one')).rejects.toMatchObject(refusal);
  });

  test('admits no more than the total, however many come at once, and gives back the seat of the client', async () => {
    process.env['MAX_WAITING_CALLS'] = '60';
    const found = await Promise.all(Array.from({ length: 100 }, (_, index) => take(`client-${index}`)));
    const admitted = found.filter((release) => release !== undefined).length;
    expect(admitted).toBe(60);
    const counts = Object.entries(await taken());
    const clients = counts.filter(([id]) => id.startsWith('waiting#client#'));
    const shards = counts.filter(([id]) => id.startsWith('waiting#shard#'));
    expect(clients).toHaveLength(60);
    expect(shards.map(([, count]) => count).sort()).toEqual(seatShards(60).map(({ seats }) => seats));
  });

  test('does not look again for a second when there was none', async () => {
    process.env['MAX_WAITING_CALLS'] = '1';
    const release = await take('one');
    expect(await take('two')).toBeUndefined();
    await release?.();
    store.resetHistory();
    now += 999;
    expect(await take('two')).toBeUndefined();
    expect(sent()).toEqual([]);
    now += 1;
    expect(await take('two')).toBeDefined();
  });

  test('holds no call when the total is none', async () => {
    process.env['MAX_WAITING_CALLS'] = '0';
    expect(await take('one')).toBeUndefined();
    expect(await taken()).toEqual({});
  });

  test('replaces the seats of calls whose time is over, as those of functions that have died', async () => {
    process.env['MAX_WAITING_CALLS'] = '5';
    await takeFive('one');
    now += WAIT_MS - 1;
    await expect(take('one')).rejects.toMatchObject(refusal);
    now += 1;
    const again = await takeFive('one');
    expect(again.every((release) => release !== undefined)).toBe(true);
    expect(await taken()).toEqual({ 'waiting#client#one': 5, 'waiting#shard#0': 5 });
    await expect(take('one')).rejects.toMatchObject(refusal);
  });

  test('gives back nothing of a call that has its place when its own time was over', async () => {
    process.env['MAX_WAITING_CALLS'] = '1';
    const late = await take('one');
    now += WAIT_MS;
    expect(await take('two')).toBeDefined();
    await late?.();
    expect(await taken()).toEqual({ 'waiting#client#two': 1, 'waiting#shard#0': 1 });
  });

  test('writes one unit each, also with the fullest item', async () => {
    process.env['MAX_WAITING_CALLS'] = '25';
    const releases = await Promise.all(Array.from({ length: 25 }, (_, index) => take(`client-${index}`)));
    expect([units, sum(await taken())]).toEqual([50, 50]);
    await Promise.all(releases.map(async (release) => release?.()));
    expect(units).toBe(100);
    expect(sum(await taken())).toBe(0);
  });

  test('does not fail the call when a seat can’t be given back: it ends with its time', async () => {
    const release = await take('one');
    store.on(UpdateCommand).rejects(new Error('connect ECONNREFUSED'));
    await expect(release?.()).resolves.toBeDefined();
    expect(sum(await taken())).toBe(2);
    now += WAIT_MS;
    expect(sum(await taken())).toBe(0);
  });
});
