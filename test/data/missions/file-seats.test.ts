import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { withFileSeat } from '../../../data/missions/file-seats';
import type { Refusal } from '../../../domain/values/refusal';
import { acme, rival } from '../../domain/fixtures/samples';
import { storeOnEngine } from '../fixtures/engine';
import { sent, store } from '../fixtures/store';

const engine = storeOnEngine('requests');

const refusal = {
  code: 'too_many_requests',
  details: [{ path: '', message: 'at most 2 files of an organisation are read at the same time: send it again' }],
};

/** A file that is read until it is ended. */
function reading(organisation = acme) {
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => void (end = resolve));
  let begun: () => void = () => undefined;
  const begins = new Promise<void>((resolve) => void (begun = resolve));
  const stored = withFileSeat(organisation, async () => {
    begun();
    await ended;
    return 'stored';
  });
  return { stored, begins, end };
}

const read = (organisation = acme) => withFileSeat(organisation, () => Promise.resolve('stored'));

beforeEach(() => {
  process.env['MAX_FILES_AT_ONCE'] = '2';
});
afterEach(() => jest.restoreAllMocks());

test('a file takes one write, and one more at its end', async () => {
  expect(await read()).toBe('stored');
  expect(sent()).toHaveLength(2);
});

test('beside as many as may be read the next one is refused, and not read, until one of them has ended', async () => {
  const [one, two] = [reading(), reading()];
  await Promise.all([one.begins, two.begins]);
  const store = jest.fn();
  await expect(withFileSeat(acme, store)).rejects.toMatchObject(refusal);
  expect(store).not.toHaveBeenCalled();
  const waits = await Promise.all(
    Array.from({ length: 40 }, () => read().catch((error: unknown) => (error as Refusal).retryAfterSeconds)),
  );
  expect([...new Set(waits)].toSorted()).toEqual([2, 3, 4, 5]);
  expect(await read(rival)).toBe('stored');
  one.end();
  await one.stored;
  expect(await read()).toBe('stored');
  two.end();
  await two.stored;
});

test('twenty at once: two are read, not one more', async () => {
  const files = Array.from({ length: 20 }, () => reading());
  const outcomes = Promise.allSettled(files.map(({ stored }) => stored));
  await Promise.all(files.map(({ begins, stored }) => Promise.race([begins, stored.catch(() => 0)])));
  for (const { end } of files) end();
  const kept = (await outcomes).filter(({ status }) => status === 'fulfilled');
  expect(kept).toHaveLength(2);
});

test('a file that can’t be read gives its seat back', async () => {
  for (let number = 0; number < 3; number++)
    await expect(withFileSeat(acme, () => Promise.reject(new Error('no file')))).rejects.toThrow('no file');
  expect(await read()).toBe('stored');
});

test('a seat whose write failed, and was done, is given back; a refused file costs one write', async () => {
  let fails = false;
  store.on(UpdateCommand).callsFake(async (input: object) => {
    const answer = await engine.answers('UpdateCommand')(input);
    if (!fails) return answer;
    fails = false;
    throw new Error('timed out');
  });
  for (const _ of [1, 2]) {
    fails = true;
    await expect(read()).rejects.toThrow('timed out');
  }
  const files = [reading(), reading()];
  await Promise.all(files.map(({ begins }) => begins));
  const before = sent().length;
  await expect(read()).rejects.toMatchObject(refusal);
  expect(sent().length - before).toBe(1);
  for (const { end } of files) end();
  expect(await Promise.all(files.map(({ stored }) => stored))).toEqual(['stored', 'stored']);
});

test('the seat of a function that was ended is free after its ten seconds', async () => {
  const clock = jest.spyOn(Date, 'now').mockReturnValue(1_795_775_400_000);
  const died = [reading(), reading()];
  await Promise.all(died.map(({ begins }) => begins));
  clock.mockReturnValue(1_795_775_409_999);
  await expect(read()).rejects.toMatchObject(refusal);
  clock.mockReturnValue(1_795_775_410_000);
  expect(await read()).toBe('stored');
  for (const { end } of died) end();
  await Promise.all(died.map(({ stored }) => stored));
});

test('a seat that can’t be given back does not fail the file', async () => {
  const file = reading();
  await file.begins;
  store.on(UpdateCommand).rejects(new Error('connect ECONNREFUSED'));
  file.end();
  expect(await file.stored).toBe('stored');
});
