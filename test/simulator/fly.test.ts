import { beginRun, openMissions } from '../../simulator/missions';
import { inventory } from '../../simulator/inventory';
import { handler } from '../../simulator/fly';
import { sayWhere, tick } from '../../simulator/tick';

jest.mock('node:timers/promises', () => ({
  // Looked up when it is called: fake timers leave the one of Node's module alone.
  setTimeout: (ms: number) => new Promise((resolve) => setTimeout(resolve, ms)),
}));
jest.mock('../../simulator/inventory');
jest.mock('../../simulator/missions');
jest.mock('../../simulator/tick');

const device = (number: number) => ({
  kind: 'device' as const,
  deviceId: `device-${number}`,
  deviceGroupId: `group-${number % 3}`,
});
const devices = Array.from({ length: 12 }, (_, number) => device(number));
let latest = '';

beforeEach(() => {
  jest.useFakeTimers();
  Object.assign(process.env, { SEED: 'sandbox', SPEED: '1', REST: '3' });
  jest.mocked(beginRun).mockImplementation((runId) => {
    latest = runId;
    return Promise.resolve(true);
  });
  jest.mocked(openMissions).mockImplementation(() => Promise.resolve({ missions: [], runId: latest }));
  jest.mocked(inventory).mockResolvedValue(devices);
  jest.mocked(tick).mockResolvedValue(new Map());
});

afterEach(() => {
  jest.useRealTimers();
  jest.resetAllMocks();
});

test('A run goes on until the next one has begun, and no second is flown twice or left out', async () => {
  const first = handler();
  await jest.advanceTimersByTimeAsync(60_000);
  const second = handler();
  await jest.advanceTimersByTimeAsync(10_000);
  await first;
  const seconds = jest.mocked(tick).mock.calls.map(([, , now]) => Math.round(now.getTime() / 1000));
  expect(new Set(seconds).size).toBe(seconds.length);
  expect((seconds.at(-1) ?? 0) - (seconds[0] ?? 0)).toBe(seconds.length - 1);
  latest = 'another';
  await jest.advanceTimersByTimeAsync(1000);
  await second;
});

test('A run that nobody follows ends before its function is stopped', async () => {
  const run = handler();
  await jest.advanceTimersByTimeAsync(85_000);
  await expect(run).resolves.toBeUndefined();
});

test('In each second every device has its turn once, and at rest it reports as often as it was set', async () => {
  const run = handler();
  await jest.advanceTimersByTimeAsync(4999);
  const calls = jest.mocked(sayWhere).mock.calls;
  const begin = calls[0]?.[3].getTime() ?? 0;
  const turns = calls.flatMap(([some, , , now]) =>
    some.map(({ deviceId }) => `${Math.floor((now.getTime() - begin) / 1000)} ${deviceId}`),
  );
  const expected = [0, 1, 2, 3].flatMap((second) => devices.map(({ deviceId }) => `${second} ${deviceId}`));
  expect(turns.toSorted()).toEqual(expected.toSorted());
  const rests = jest.mocked(tick).mock.calls.map(([, { restReports }]) => restReports);
  expect(rests).toEqual([true, false, false, true]);
  latest = 'another';
  await jest.advanceTimersByTimeAsync(1000);
  await run;
});
