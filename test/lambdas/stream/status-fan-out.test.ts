import { GetCommand, QueryCommand } from '../../../data/store/document-client';
import { connection, said } from '../../data/fixtures/sockets';
import { PublishCommand } from '@aws-sdk/client-iot-data-plane';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { toItem } from '../../../data/jobs/job-item';
import type { Job } from '../../../domain/job';
import type { DeviceState } from '../../../domain/telemetry';
import { handler } from '../../../lambdas/stream/status-fan-out';
import { store } from '../../data/fixtures/store';
import { jobRecord, record } from '../../data/fixtures/stream-record';
import { broker, published } from '../../data/fixtures/topics';
import { acme, id, rival, sampleJob } from '../../domain/fixtures/samples';
import { logLines, written } from '../fixtures/log';
import { queue } from '../fixtures/telemetry';

const run = (...Records: object[]) => handler({ Records });
const unique = (number: number) => `01jd${String(number).padStart(22, '0')}`;
const job = (number: number, change: Partial<Job> = {}) =>
  sampleJob({ jobId: id('job', acme, unique(number)), ...change });
const spoken = () => published().map(({ text }) => JSON.parse(text) as { jobId: string; sequence: number });

beforeEach(() => {
  process.env['DEAD_LETTER_QUEUE_URL'] = 'https://queue.test/failures';
  store.onAnyCommand().resolves({});
});

describe('A batch of changes', () => {
  test('is said, each on its own channel, and those of one job in order.', async () => {
    const [one, other] = [job(1), job(2)];
    const steps = (of: Job, from: number) => [
      jobRecord(of, { ...of, status: 'QUEUED', version: 4 }, from),
      jobRecord({ ...of, status: 'QUEUED' }, { ...of, status: 'FAILED', version: 5 }, from + 1),
    ];
    await expect(run(...steps(one, 1), ...steps(other, 3))).resolves.toEqual({ batchItemFailures: [] });
    for (const { jobId } of [one, other])
      expect(
        spoken()
          .filter((message) => message.jobId === jobId)
          .map(({ sequence }) => sequence),
      ).toEqual([4, 5]);
  });

  test('that comes twice is said twice in the same words.', async () => {
    const records = [jobRecord(job(1), { ...job(1), status: 'QUEUED', version: 4 })];
    await run(...records);
    const once = published();
    await run(...records);
    expect(published()).toEqual([...once, ...once]);
  });

  test('in which no status changes says nothing and reads nothing.', async () => {
    await run(jobRecord(job(1), { ...job(1), name: 'Another', version: 4 }));
    expect(broker).not.toHaveReceivedAnyCommand();
    expect(store).not.toHaveReceivedAnyCommand();
  });

  test('with a record that nobody can read puts it aside, and everything else is said.', async () => {
    const key = { organisation: acme, jobId: id('job', acme, unique(9)) };
    const secret = 'kx9mhush7q2v5w8y1z3a4b6c';
    const poison = record(key, undefined, { ...key, status: 'FLYING', name: secret }, 2);
    await expect(run(jobRecord(undefined, job(1), 1), poison, jobRecord(undefined, job(3), 3))).resolves.toEqual({
      batchItemFailures: [],
    });
    expect(spoken().map(({ jobId }) => jobId)).toEqual([job(1).jobId, job(3).jobId]);
    expect(queue).toHaveReceivedCommandWith(SendMessageCommand, { QueueUrl: 'https://queue.test/failures' });
    expect(logLines()).toMatchObject([{ level: 'ERROR', sequenceNumber: '2' }]);
    expect(written.join() + JSON.stringify(queue.calls().map(({ args }) => args[0].input))).not.toContain(secret);
  });

  test('begins again at the first change that could not be published.', async () => {
    const records = [1, 2, 3].map((number) => jobRecord(undefined, job(number), number));
    broker.on(PublishCommand).resolvesOnce({}).rejectsOnce(new Error('throttled')).resolves({});
    await expect(run(...records)).resolves.toEqual({ batchItemFailures: [{ itemIdentifier: '2' }] });
  });

  test('is said when a socket of one of them is in trouble.', async () => {
    store
      .on(QueryCommand)
      .resolves({ Items: [connection({ expiresAt: 1 }), connection({ connectionId: 'socket-2' })] });
    await expect(run(jobRecord(undefined, job(1)))).resolves.toEqual({ batchItemFailures: [] });
    expect(said()).toHaveLength(2);
  });
});

describe('What a device reports', () => {
  const at = '2026-11-27T10:30:00.000Z';
  const device = (state?: Partial<DeviceState>) => ({
    kind: 'device',
    deviceId: id('device'),
    deviceGroupId: id('group'),
    name: 'North 1',
    status: 'online',
    version: 7,
    ...(state && { lastState: JSON.stringify({ timestamp: at, ...state }) }),
  });
  const report = (before: object, after: object) =>
    run(record({ organisation: acme, id: id('device') }, { ...before }, { ...after }));
  const before = device({ timestamp: '2026-11-27T10:29:59.000Z' });
  const running = sampleJob({ status: 'IN_PROGRESS' });
  const topics = () => published().map(({ topic, retain }) => `${topic} ${retain ? 'retained' : 'passing'}`);
  const ofGroup = `${id('group')}/DEVICE/STATUS passing`;

  test('goes to its group, and with a running job to the job: neither is retained.', async () => {
    store.on(GetCommand).resolves({ Item: toItem(acme, running) });
    await report(before, device({ jobId: id('job'), droneState: 'WAYPOINT' }));
    expect(topics()).toEqual([ofGroup, `${id('job')}/JOB/STATUS passing`]);
    expect(JSON.parse(published()[1]?.text ?? '')).toMatchObject({
      jobState: 'IN_PROGRESS',
      sequence: running.version,
      deviceId: id('device'),
      droneState: 'WAYPOINT',
      timestamp: at,
    });
  });

  test.each<[string, object | undefined, string]>([
    ['is not running', toItem(acme, sampleJob({ status: 'QUEUED' })), id('job')],
    ['is there no more', undefined, id('job')],
    ['another device flies', toItem(acme, { ...running, deviceId: id('device', acme, unique(2)) }), id('job')],
  ])('does not go to a job that %s.', async (_, Item, jobId) => {
    store.on(GetCommand).resolves(Item ? { Item } : {});
    await report(before, device({ jobId }));
    expect(topics()).toEqual([ofGroup]);
  });

  test.each([id('job', rival), 'job', id('share'), '__proto__'])(
    'does not go to %s, and nobody looks for it: a device speaks for jobs of its own organisation.',
    async (jobId) => {
      await report(before, device({ jobId }));
      expect(topics()).toEqual([ofGroup]);
      expect(store).not.toHaveReceivedCommand(GetCommand);
    },
  );

  test('without news is said to nobody.', async () => {
    const same = device({ jobId: id('job') });
    await report(same, { ...same, name: 'South' });
    expect(broker).not.toHaveReceivedAnyCommand();
    expect(store).not.toHaveReceivedAnyCommand();
  });

  test('costs one read of the followers of a group, however many of its devices report.', async () => {
    store.on(QueryCommand).resolves({ Items: [connection()] });
    const records = [1, 2, 3].map((number) => {
      const deviceId = id('device', acme, unique(number));
      return record({ organisation: acme, id: deviceId }, { ...before, deviceId }, { ...device({}), deviceId }, number);
    });
    await run(...records);
    expect(store).toHaveReceivedCommandTimes(QueryCommand, 1);
    expect(said()).toHaveLength(3);
    await run(...records);
    expect(store).toHaveReceivedCommandTimes(QueryCommand, 2);
  });

  test('is retained when it came online with it.', async () => {
    await report({ ...before, status: 'offline' }, device({}));
    expect(topics()).toEqual([`${id('group')}/DEVICE/STATUS retained`]);
  });
});

test('Groups and streams of the fleet say nothing.', async () => {
  const group = { kind: 'group', deviceGroupId: id('group'), name: 'North', description: '' };
  await run(record({ organisation: acme, id: id('group') }, undefined, group));
  expect(broker).not.toHaveReceivedAnyCommand();
});
