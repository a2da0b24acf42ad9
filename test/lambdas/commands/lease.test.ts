import { setTimeout as pause } from 'node:timers/promises';
import { decideByHead } from '../../../lambdas/commands/decide-by-head';
import { storeOnEngine } from '../../data/fixtures/engine';
import { id } from '../../domain/fixtures/samples';

jest.mock('node:timers/promises', () => ({ setTimeout: jest.fn(() => Promise.resolve()) }));

storeOnEngine('commands');
const now = '2026-11-27T10:00:00.000Z';
const pauses = jest.mocked(pause);
beforeEach(() => pauses.mockClear());

test('decides again, after pauses of random length, until nobody else was first', async () => {
  jest.spyOn(Math, 'random').mockReturnValue(0.5);
  let count = 0;
  await expect(
    decideByHead({ deviceId: id('device'), now }, ({ sequence }) =>
      Promise.resolve(++count < 9 ? undefined : sequence),
    ),
  ).resolves.toBe(0);
  expect(count).toBe(9);
  // Each up to twice as long as the one before, and none longer than 200 ms.
  expect(pauses.mock.calls.map(([ms]) => ms)).toEqual([2.5, 5, 10, 20, 40, 80, 100, 100]);
});

test.each([
  ['another command', false, 10],
  ['a stop', true, 60],
])('%s gives up, isStop: %s, after %d times', async (_, isStop, times) => {
  jest.spyOn(performance, 'now').mockReturnValue(0);
  const attempt = jest.fn(() => Promise.resolve(undefined));
  await expect(decideByHead({ deviceId: id('device'), now, isStop }, attempt)).rejects.toMatchObject({
    code: 'too_many_requests',
  });
  expect(attempt).toHaveBeenCalledTimes(times);
  expect(Math.max(...pauses.mock.calls.map(([ms]) => ms ?? 0))).toBeLessThanOrEqual(isStop ? 20 : 200);
});

test('a stop gives up after seven seconds, so that its caller has an answer before the function ends', async () => {
  const clock = jest.spyOn(performance, 'now').mockReturnValue(0);
  const attempt = jest.fn(() => {
    clock.mockReturnValue(attempt.mock.calls.length * 3000);
    return Promise.resolve(undefined);
  });
  await expect(decideByHead({ deviceId: id('device'), now, isStop: true }, attempt)).rejects.toMatchObject({
    code: 'too_many_requests',
  });
  expect(attempt).toHaveBeenCalledTimes(3);
});
