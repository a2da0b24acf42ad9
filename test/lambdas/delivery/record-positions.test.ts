import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import type { Device } from '../../../domain/fleet';
import { recordPositions } from '../../../lambdas/delivery/record-positions';
import { sent, store } from '../../data/fixtures/store';
import { id, sampleDevice, sampleJob } from '../../domain/fixtures/samples';
import { logLines } from '../fixtures/log';

const BEGIN = Date.parse('2026-11-27T10:30:00.000Z') / 1000;
const DAY_S = 86_400;
const at = (seconds: number) => new Date((BEGIN + seconds) * 1000).toISOString();
const position = { type: 'Point' as const, coordinates: [8.5, 47.4, 480] as [number, number, number] };
/** The device in flight, after a state at so many seconds. */
const flying = (seconds: number, change: Partial<Device> = {}) =>
  sampleDevice({
    lastState: { timestamp: at(seconds), navigation: { position } },
    takeOff: { timestamp: at(0) },
    ...change,
  });
const job = sampleJob({ status: 'IN_PROGRESS' });

interface Batch {
  readonly RequestItems: {
    readonly flights: { readonly PutRequest: { readonly Item: { flight: string; second: number; ttl: number } } }[];
  };
}
/** Record, second after the beginning, and days until the end of each position that was written. */
const recorded = () =>
  (sent() as unknown as Batch[]).flatMap(({ RequestItems }) =>
    RequestItems.flights.map(({ PutRequest: { Item } }) => [
      Item.flight,
      Item.second - BEGIN,
      (Item.ttl - BEGIN) / DAY_S,
    ]),
  );

beforeEach(() => {
  process.env['FLIGHT_RETENTION_DAYS'] = '30';
  store.on(BatchWriteCommand).resolves({});
});

describe('recordPositions', () => {
  test('keeps a position a second of a running job for the days that the deployment chose', async () => {
    await recordPositions([{ before: flying(2), device: flying(3), job }]);
    expect(recorded()).toEqual([[job.jobId, 3, 30 + 3 / DAY_S]]);
  });

  test('keeps a position every five seconds of a flight for a day, with a job or without', async () => {
    await recordPositions([{ before: flying(4), device: flying(5), job: undefined }]);
    await recordPositions([{ before: flying(9), device: flying(10), job }]);
    expect(recorded()).toEqual([
      [id('device'), 5, 1 + 5 / DAY_S],
      [job.jobId, 10, 30 + 10 / DAY_S],
      [id('device'), 10, 1 + 10 / DAY_S],
    ]);
  });

  test('keeps a position of a running job although no take-off is known', async () => {
    await recordPositions([{ before: undefined, device: flying(7, { takeOff: undefined }), job }]);
    expect(recorded()).toEqual([[job.jobId, 7, 30 + 7 / DAY_S]]);
  });

  test('writes the positions of a batch by one call, and the same again when it is repeated', async () => {
    const positions = [0, 1, 2].map((second) => ({ before: flying(second - 1), device: flying(second), job }));
    await recordPositions(positions);
    expect(sent()).toHaveLength(1);
    await recordPositions(positions);
    const [first, second] = sent();
    expect(second).toEqual(first);
  });

  test.each([
    ['on the ground', flying(60, { takeOff: undefined })],
    ['without a position', flying(60, { lastState: { timestamp: at(60), droneState: 'HOVER' } })],
  ])('writes nothing for a device %s without a job', async (_, device) => {
    await recordPositions([{ before: flying(1), device, job: undefined }]);
    expect(sent()).toEqual([]);
  });

  test.each([
    ['does not answer', () => store.on(BatchWriteCommand).rejects(new Error('no store'))],
    ['is not known', () => delete process.env['FLIGHT_RETENTION_DAYS']],
  ])('logs an error and does not fail when the store or a setting %s', async (_, given) => {
    given();
    await expect(recordPositions([{ before: flying(2), device: flying(3), job }])).resolves.toBeUndefined();
    expect(logLines()).toMatchObject([{ level: 'ERROR', message: 'positions could not be recorded' }]);
  });
});
