import { BatchGetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { jobToItem } from '../../../data/jobs/jobs';
import { handler } from '../../../lambdas/telemetry/publish.lambda';
import { acme, id, rival, sampleJob } from '../../domain/fixtures/samples';
import { store } from '../../data/fixtures/store';
import { givenPartner } from '../fixtures/actions';
import { logLines, receipts } from '../fixtures/log';
import { sendMessage } from '../fixtures/socket';
import { deviceItem, newDeviceId } from '../fixtures/telemetry';

describe('publish', () => {
  const sample = (change: object = {}) => ({
    deviceId: newDeviceId(),
    timestamp: new Date().toISOString(),
    ...change,
  });
  const publish = (...telemetry: unknown[]) => sendMessage(handler, givenPartner(), { action: 'publish', telemetry });
  /** Stores the devices of these samples, and a job that is flown. */
  function given(...samples: { deviceId: string }[]): void {
    const fleet = samples.map(({ deviceId }) => deviceItem(deviceId));
    const jobs = [jobToItem(acme, sampleJob({ status: 'IN_PROGRESS' }))];
    store.on(BatchGetCommand).callsFake(({ RequestItems }: { RequestItems: object }) => ({
      Responses: 'jobs' in RequestItems ? { jobs } : { fleet },
    }));
    store.on(UpdateCommand, { TableName: 'fleet' }).callsFake(({ Key }: { Key: { id: string } }) => ({
      Attributes: fleet.find(({ deviceId }) => deviceId === Key.id),
    }));
  }
  const position = { type: 'Point', coordinates: [8.5, 47.4, 480] };
  const saved = () => store.commandCalls(UpdateCommand, { TableName: 'fleet' });

  test('answers with the number of new samples', async () => {
    const [one, other] = [sample(), sample()];
    given(one, other);
    const message = { action: 'publish', telemetry: [one, other, one], id: 1 };
    expect(await sendMessage(handler, givenPartner(), message)).toEqual({
      type: 'published',
      accepted: 2,
      recorded: 0,
      id: 1,
    });
  });

  test('answers with the number of samples whose positions are new in the record of a flight', async () => {
    const flown = sample({ jobId: id('job'), navigation: { position } });
    const idle = sample();
    given(flown, idle);
    expect(await publish(flown, idle)).toEqual({ type: 'published', accepted: 2, recorded: 1 });
    expect(store).toHaveReceivedCommandTimes(PutCommand, 1);
  });

  test.each([
    ['45 s behind', 45, [45]],
    ['30 s ahead', -30, [-30]],
    ['right', 0, undefined],
  ])('warns of a clock that is %s for a minute, of that device only', async (_, behind, expected) => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'setTimeout', 'clearTimeout'] });
    const [wrong, right] = [newDeviceId(), newDeviceId()];
    given({ deviceId: wrong }, { deviceId: right });
    const at = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString();
    const report = () => publish({ deviceId: wrong, timestamp: at(behind) }, { deviceId: right, timestamp: at(0) });
    expect(await report()).toEqual({ type: 'published', accepted: 2, recorded: 0 });
    jest.setSystemTime(Date.now() + 60_000);
    const warnings = expected?.map((seconds) => ({ code: 'clock_differs', deviceId: wrong, seconds }));
    expect(await report()).toEqual({ type: 'published', accepted: 2, recorded: 0, ...(warnings && { warnings }) });
    await report();
    const lines = logLines().filter(({ message }) => message === 'clock differs');
    expect(lines).toMatchObject(expected?.map((seconds) => ({ level: 'WARN', deviceId: wrong, seconds })) ?? []);
    expect(lines).toHaveLength(expected?.length ?? 0);
    jest.useRealTimers();
  });

  test('logs who published a device at 0, 0, once', async () => {
    const lost = sample({ navigation: { position: { type: 'Point', coordinates: [0, 0, 30] } } });
    given(lost);
    await publish(lost);
    await publish({ ...lost, timestamp: new Date(Date.now() + 1).toISOString() });
    const { deviceId } = lost;
    expect(logLines()).toMatchObject([
      { message: 'samples received', publisher: 'client1', deviceId, dropped: 'position at 0, 0', samples: 1 },
    ]);
  });

  test('accepts the others of a list and names each fault, by its place in the list', async () => {
    const [first, last] = [sample(), sample()];
    given(first, last);
    const malformed = { ...first, timestamp: 'noon', battery: { percent: 101 } };
    const foreign = sample({ deviceId: id('device', rival) });
    expect(await publish(first, malformed, foreign, 7, last)).toEqual({
      type: 'published',
      accepted: 2,
      recorded: 0,
      refused: [
        { index: 1, path: 'telemetry.1.timestamp', message: expect.stringMatching(/^must be a date/) as string },
        { index: 1, path: 'telemetry.1.battery.percent', message: 'must be 100 or less' },
        { index: 2, path: 'telemetry.2.deviceId', message: 'is not a device of yours' },
        { index: 3, path: 'telemetry.3', message: 'must be an object' },
      ],
    });
    expect(saved()).toHaveLength(2);
  });

  test('names a sample by its place in the list that was sent, though malformed ones are before it', async () => {
    const own = sample();
    given(own);
    const ahead = { ...own, timestamp: new Date(Date.now() + 120_000).toISOString() };
    expect(await publish({}, {}, own, ahead)).toMatchObject({
      refused: expect.arrayContaining([
        { index: 3, path: 'telemetry.3.timestamp', message: 'is more than 60 seconds in the future' },
      ]) as unknown,
    });
  });

  test('is an error when no sample of the list is accepted, and names every fault', async () => {
    const malformed = sample({ battery: { percent: 101 } });
    given();
    expect(await publish(sample(), malformed)).toEqual({
      type: 'error',
      code: 'invalid_request',
      error: 'invalid_request',
      details: [
        { path: 'telemetry.0.deviceId', message: 'is not a device of yours' },
        { path: 'telemetry.1.battery.percent', message: 'must be 100 or less' },
      ],
    });
    expect(saved()).toEqual([]);
  });

  test("refuses and names a device that is not the organisation's", async () => {
    expect(await sendMessage(handler, givenPartner(), { action: 'publish', telemetry: sample() })).toMatchObject({
      error: 'invalid_request',
      details: [{ path: 'telemetry.0.deviceId', message: 'is not a device of yours' }],
    });
  });

  test.each([
    ['positions', PutCommand],
    ['states', UpdateCommand],
  ])('is an error when the store accepts no %s', async (_, command) => {
    const flown = sample({ jobId: id('job'), navigation: { position } });
    given(flown);
    store.on(command as typeof PutCommand).rejects(new Error('no store'));
    expect(await publish(flown)).toMatchObject({ type: 'error', code: 'internal_error' });
    const [{ deviceId }, client] = [flown, 'client1'];
    expect(receipts()).toMatchObject([{ publisher: client, deviceId, dropped: 'the service failed', samples: 1 }]);
  });

  test('logs who published what when the service fails, and what is malformed all the same', async () => {
    const [one, other] = [sample(), sample()];
    const malformed = { ...other, battery: { percent: 101 } };
    store.on(BatchGetCommand).rejects(new Error('no store'));
    await publish(one, malformed, other);
    expect(receipts().map(({ deviceId, dropped, samples }) => [deviceId, dropped, samples])).toEqual([
      [one.deviceId, 'the service failed', 1],
      [other.deviceId, 'malformed: battery', 1],
      [other.deviceId, 'the service failed', 1],
    ]);
  });
});
