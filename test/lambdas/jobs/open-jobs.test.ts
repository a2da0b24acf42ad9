import { jobStatuses } from '../../../domain/jobs/job-lifecycle';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { mockClient } from 'aws-sdk-client-mock';
import { outboundEvents } from '../../../domain/platform/outbound-events';
import { jobToItem, jobFromItem } from '../../../data/jobs/jobs';
import { storeOnEngine } from '../../data/fixtures/engine';
import { acme, id, rival, sampleJob } from '../../domain/fixtures/samples';
import { consume, deadLetters, platformEvent, rejected } from '../fixtures/platform-events';
import { scheduleTakeDeadline } from '../../../data/jobs/schedule-take-deadline';
import type { Job } from '../../../domain/jobs/job';
import { handler } from '../../../lambdas/platform/consume-platform-events.lambda';
import { logLines } from '../fixtures/log';
import { failureReasons } from '../../../domain/jobs/job-report';

describe('An answer with open jobs', () => {
  const engine = storeOnEngine('jobs', 'partners', 'requests');
  const requestId = 'after-restart-7';
  const numbered = (number: number, organisation = acme) => id('job', organisation, String(number).padStart(26, '0'));
  const published = () =>
    rejected().map(([type, detail]) => outboundEvents[type as 'job.snapshot' | 'jobs.answered'].parse(detail));

  beforeEach(async () => {
    const jobs = Array.from({ length: 23 }, (_, index) => sampleJob({ jobId: numbered(index) }));
    const ended = sampleJob({ jobId: numbered(99), status: 'COMPLETED' });
    await engine.put('jobs', ...[...jobs, ended].map((job) => jobToItem(acme, job)));
    await engine.put('jobs', jobToItem(rival, sampleJob({ jobId: numbered(1, rival), status: 'IN_PROGRESS' })));
    for (const organisation of [acme, rival])
      await engine.put('partners', {
        clientId: `org-${organisation}`,
        organisation,
        name: organisation,
        createdAt: 'x',
      });
  });

  test.each<[string, object, number]>([
    ['of one organisation', { organisationId: `org-${acme}` }, 23],
    ['of all organisations', {}, 24],
  ])('open jobs %s are published, and then how many there are', async (_, more, count) => {
    await consume(platformEvent('jobs.requested', { requestId, ...more }));
    const events = published();
    expect(events).toHaveLength(count + 1);
    expect(events.at(-1)).toMatchObject({ requestId, count });
    expect(new Set(events.map(({ eventId }) => eventId)).size).toBe(count + 1);
    const [first] = events;
    expect(first).toMatchObject({ requestId, status: 'PENDING', version: 3, at: sampleJob().updatedAt });
  });

  test.each<[string, object, string]>([
    ['without an id', {}, 'requestId'],
    ['with an id that is too long', { requestId: 'x'.repeat(257) }, 'requestId'],
    ['of no organisation of this service', { requestId, organisationId: 'acme' }, 'organisationId'],
  ])('a request %s is rejected', async (_, detail, path) => {
    const body = platformEvent('jobs.requested', detail);
    await consume(body);
    expect(deadLetters()).toEqual([[body, expect.stringMatching(new RegExp(`^${path} `))]]);
    expect(rejected()).toMatchObject([['report.rejected', { reason: 'malformed', details: [{ path }] }]]);
  });
});

describe('A job that nobody took', () => {
  const engine = storeOnEngine('jobs');
  const queue = mockClient(SQSClient);

  /** Lets the deadline of the job pass, as the queue delivers it. */
  async function passDeadline() {
    process.env['RETRY_QUEUE_URL'] = 'https://sqs.test/retries';
    queue.reset();
    queue.on(SendMessageCommand).resolves({});
    await scheduleTakeDeadline(id('job'));
    const body = queue.commandCalls(SendMessageCommand)[0]?.args[0].input.MessageBody ?? '';
    const record = { messageId: 'message-1', body, attributes: { ApproximateReceiveCount: '1' } };
    return handler({ Records: [record] });
  }
  const given = (job: Partial<Job>) => engine.put('jobs', jobToItem(acme, sampleJob(job)));
  const now = async () => jobFromItem((await engine.all('jobs'))[0]);

  test('a job that the platform has not queued fails, and the platform is told', async () => {
    await given({ deviceId: id('device') });
    expect(await passDeadline()).toEqual({ batchItemFailures: [] });
    const job = await now();
    expect(job?.job).toMatchObject({ status: 'FAILED', reason: 'NOT_TAKEN', version: 4 });
    expect(job?.changedBy).toBeUndefined();
    await passDeadline();
    expect((await now())?.job.version).toBe(4);
  });

  test.each(jobStatuses.filter((status) => status !== 'PENDING'))('a %s job stays as it is', async (status) => {
    await given({ status });
    expect(await passDeadline()).toEqual({ batchItemFailures: [] });
    expect((await now())?.job).toMatchObject({ status, version: 3 });
  });

  test('a job that was never created, or was deleted, is nothing to fail', async () => {
    expect(await passDeadline()).toEqual({ batchItemFailures: [] });
    expect(await engine.all('jobs')).toEqual([]);
  });
});

describe('Stranded jobs', () => {
  const engine = storeOnEngine('fleet', 'jobs');
  const numbered = (kind: string, number: number, organisation = acme) =>
    id(kind, organisation, String(number).padStart(26, '0'));
  const [deviceId, deviceGroupId] = [id('device'), id('group')];
  const succeeded = { batchItemFailures: [] };

  beforeEach(() => {
    jest.useFakeTimers({
      now: new Date('2026-11-27T10:30:30.000Z'),
      doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'setTimeout'],
    });
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  async function givenJobs(...jobs: Partial<Job>[]) {
    const whole = jobs.map((job, index) => sampleJob({ jobId: numbered('job', index), deviceGroupId, ...job }));
    await engine.put('jobs', ...whole.map((job) => jobToItem(acme, job)));
  }
  const register = (group: string) =>
    consume(
      platformEvent('device.registered', {
        deviceId,
        deviceGroupId: group,
        name: 'Kestrel',
        at: '2026-11-27T10:00:00Z',
      }),
    );
  const statuses = async () =>
    (await engine.all('jobs')).map((item) => jobFromItem(item)?.job).map((job) => [job?.status, job?.reason]);

  test('a removed device fails the open jobs that name it, in words too, and the platform hears of them as of any change', async () => {
    await givenJobs({ deviceId }, { deviceId, status: 'IN_PROGRESS' }, { deviceId, status: 'COMPLETED' }, {});
    expect(await consume(platformEvent('device.removed', { deviceId }))).toEqual(succeeded);
    expect(await statuses()).toEqual([
      ['FAILED', 'DEVICE_REMOVED'],
      ['FAILED', 'DEVICE_REMOVED'],
      ['COMPLETED', undefined],
      ['PENDING', undefined],
    ]);
    const [first] = (await engine.all('jobs')).map((item) => jobFromItem(item));
    expect(first).toMatchObject({
      changedBy: undefined,
      job: { version: 4, reasonText: failureReasons.DEVICE_REMOVED },
    });
  });

  test('a removed group fails all its open jobs, more than one page of them, and none of another organisation', async () => {
    await givenJobs(...Array.from({ length: 150 }, () => ({})), { deviceGroupId: id('group', acme, '1'.repeat(26)) });
    const foreign = sampleJob({ jobId: numbered('job', 1, rival), deviceGroupId });
    await engine.put('jobs', jobToItem(rival, foreign));
    await consume(platformEvent('device-group.removed', { deviceGroupId }));
    const found = await statuses();
    expect(found.filter(([, reason]) => reason === 'GROUP_REMOVED')).toHaveLength(150);
    expect(found.filter(([status]) => status === 'PENDING')).toHaveLength(2);
  });

  test('a moved device fails the jobs that wait for it in its former group, also when the event is repeated', async () => {
    await register(deviceGroupId);
    await givenJobs({ deviceId }, { deviceId, status: 'IN_PROGRESS' });
    const moved = platformEvent('device.registered', {
      deviceId,
      deviceGroupId: id('group', acme, '1'.repeat(26)),
      name: 'Kestrel',
      at: '2026-11-27T10:10:00Z',
    });
    await consume(moved);
    const expected = [
      ['FAILED', 'DEVICE_MOVED'],
      ['IN_PROGRESS', undefined],
    ];
    expect(await statuses()).toEqual(expected);
    await givenJobs({ deviceId });
    await consume(moved);
    expect(await statuses()).toEqual(expected);
  });

  test('of changes in one second the later one decides, in whichever order they arrive', async () => {
    await register(deviceGroupId);
    const at = (ms: number) => `2026-11-27T10:20:00.${ms}Z`;
    await consume(
      platformEvent('device.registered', { deviceId, deviceGroupId, name: 'Second', at: at(200) }),
      platformEvent('device.registered', { deviceId, deviceGroupId, name: 'First', at: at(199) }),
    );
    expect(await engine.all('fleet')).toMatchObject([{ name: 'Second', eventTime: at(200) }]);
    expect(logLines()).toMatchObject([{ reason: 'late', deviceId, deviceGroupId, eventId: 'event-1' }]);
  });
});
