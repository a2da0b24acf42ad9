import { ScanCommand, UpdateCommand, type UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import { handler } from '../../packages/simulator/fly';
import { dockPositionOf } from '../../packages/simulator/dock';
import { dynamodb, publishedDetails } from './fixtures/aws';

const LATEST_RUN = 'latest-run';

const devices = Array.from({ length: 12 }, (_, number) => ({
  kind: 'device',
  deviceId: `device-${number}`,
  deviceGroupId: `group-${number % 3}`,
}));

interface Sample {
  readonly deviceId: string;
  readonly timestamp: string;
}

const samples = () =>
  publishedDetails<{ telemetry: Sample[] }>('device.telemetry.reported').flatMap((d) => d.telemetry);

/** Seconds in which a device reported, counted from the first report of any device. */
function secondsOf(deviceId: string): number[] {
  const first = Math.min(...samples().map(({ timestamp }) => Date.parse(timestamp)));
  const own = samples().filter((sample) => sample.deviceId === deviceId);
  return own.map(({ timestamp }) => Math.floor((Date.parse(timestamp) - first) / 1000));
}

describe('fly', () => {
  let latestRun: string;
  let missions: object[];

  /** Starts another run, so that the ones in progress end within a second. */
  const endRuns = async () => {
    latestRun = 'another';
    await jest.advanceTimersByTimeAsync(1000);
  };

  beforeEach(() => {
    jest.useFakeTimers();
    Object.assign(process.env, { SEED: 'sandbox', SPEED: '1', REST: '1' });
    latestRun = '';
    missions = [];
    dynamodb.on(UpdateCommand, { Key: { jobId: LATEST_RUN } }).callsFake((input: UpdateCommandInput) => {
      latestRun = String(input.ExpressionAttributeValues?.[':runId']);
      return {};
    });
    dynamodb
      .on(ScanCommand, { TableName: 'missions' })
      .callsFake(() => ({ Items: [{ jobId: LATEST_RUN, runId: latestRun }, ...missions] }));
    dynamodb.on(ScanCommand, { TableName: 'fleet' }).resolves({ Items: devices });
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  test('runs until the next run has begun, without a skipped or repeated second', async () => {
    const first = handler();
    await jest.advanceTimersByTimeAsync(60_000);
    const second = handler();
    await jest.advanceTimersByTimeAsync(10_000);
    await first;
    await endRuns();
    await second;
    const everySecond = Array.from({ length: 69 }, (_, second) => second);
    for (const { deviceId } of devices) expect(secondsOf(deviceId).slice(0, 69)).toEqual(everySecond);
  });

  test('ends before its function times out when no other run begins', async () => {
    const run = handler();
    await jest.advanceTimersByTimeAsync(85_000);
    await expect(run).resolves.toBeUndefined();
  });

  test('publishes a sample of each device once a second, in five phases', async () => {
    const run = handler();
    await jest.advanceTimersByTimeAsync(1999);
    expect(
      samples()
        .map(({ deviceId }) => deviceId)
        .toSorted(),
    ).toEqual(devices.map(({ deviceId }) => deviceId).toSorted());
    const times = [...new Set(samples().map(({ timestamp }) => Date.parse(timestamp)))];
    // A pause of 0 ms takes 1 ms.
    const offsets = times.map((time) => Math.round((time - (times[0] ?? 0)) / 10) * 10);
    expect(offsets).toEqual([0, 200, 400, 600, 800]);
    await endRuns();
    await run;
  });

  test('publishes samples of idle devices at the configured interval only', async () => {
    process.env['REST'] = '3';
    const run = handler();
    await jest.advanceTimersByTimeAsync(4999);
    for (const { deviceId } of devices) expect(secondsOf(deviceId)).toEqual([0, 3]);
    await endRuns();
    await run;
  });

  test('flies a mission as many times faster as its job asks for', async () => {
    const [device] = devices;
    const takenAt = new Date(Date.now() - 10_000).toISOString();
    const plan = { laps: 1, speed: 8 };
    missions = [{ jobId: 'job-1', deviceGroupId: 'group-1', priority: 5, state: 'flying', takenAt, plan, ...device }];
    const run = handler();
    await jest.advanceTimersByTimeAsync(1999);
    // More than eighty seconds of the mission have passed: it is over.
    expect(dynamodb).toHaveReceivedCommandWith(UpdateCommand, {
      Key: { jobId: 'job-1' },
      UpdateExpression: 'SET #state = :over, #ttl = :ttl',
    });
    await endRuns();
    await run;
  });

  test.each(['device-1', 'device-7'])('assigns a mission to a place to the nearest device: %s', async (deviceId) => {
    const { longitude, latitude } = dockPositionOf('sandbox', 'group-1', deviceId);
    const place = { location: { type: 'Point', coordinates: [longitude, latitude] }, action: 'HOVER' };
    const plan = { laps: 1, speed: 1, place };
    missions = [{ jobId: 'job-1', deviceGroupId: 'group-1', priority: 5, state: 'waiting', plan }];
    const run = handler();
    await jest.advanceTimersByTimeAsync(1999);
    expect(publishedDetails('job.status.reported')).toMatchObject([{ jobId: 'job-1', status: 'QUEUED', deviceId }]);
    await endRuns();
    await run;
  });

  test('finds commands and ends of shares beside the missions, and answers those of a device at rest', async () => {
    const startBefore = new Date(Date.now() + 10_000).toISOString();
    const command = (sequence: number, name: string, shareId?: string) => {
      const requestId = `command-${sequence}`;
      const fields = { deviceId: 'device-1', command: { name }, sequence, startBefore };
      return { jobId: requestId, state: 'requested', requestId, ...fields, ...(shareId && { shareId }) };
    };
    missions = [
      { jobId: 'share-1', state: 'ended', shareId: 'share-1', ttl: 1 },
      command(1, 'RETURN_HOME'),
      command(2, 'PAUSE'),
      command(3, 'LAND', 'share-1'),
    ];
    dynamodb.on(UpdateCommand, { Key: { jobId: 'command-3' } }).callsFake(() => {
      missions = [];
      return {};
    });
    const run = handler();
    await jest.advanceTimersByTimeAsync(1999);
    expect(publishedDetails('control.outcome.reported')).toMatchObject([
      { requestId: 'command-1', outcome: 'DONE' },
      { requestId: 'command-2', outcome: 'REFUSED', reason: 'NOT_ALLOWED' },
      { requestId: 'command-3', outcome: 'REFUSED', reason: 'SHARE_ENDED' },
    ]);
    await endRuns();
    await run;
  });

  test('assigns a waiting mission to a device of its group and reports it as queued', async () => {
    const mission = { jobId: 'job-1', deviceGroupId: 'group-1', priority: 5, state: 'waiting' };
    missions = [mission];
    dynamodb.on(UpdateCommand, { Key: { jobId: 'job-1' } }).callsFake(() => {
      missions = [];
      return {};
    });
    const run = handler();
    await jest.advanceTimersByTimeAsync(1999);
    expect(dynamodb).toHaveReceivedCommandWith(UpdateCommand, {
      TableName: 'missions',
      Key: { jobId: 'job-1' },
      ConditionExpression: expect.stringMatching(/^#state = :waiting\b/) as string,
    });
    expect(publishedDetails('job.status.reported')).toMatchObject([{ jobId: 'job-1', status: 'QUEUED' }]);
    await endRuns();
    await run;
  });
});
