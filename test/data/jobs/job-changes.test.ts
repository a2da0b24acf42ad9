import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { storeCancellation, changeJob, type ChangeOptions } from '../../../data/jobs/job-changes';
import { findJob, jobToItem } from '../../../data/jobs/jobs';
import type { Job } from '../../../domain/jobs/job';
import type { JobChange } from '../../../domain/jobs/job-change';
import { cannotCancel } from '../../../domain/jobs/job-change';
import {
  isFinal,
  isFlown,
  isReported,
  jobStatuses,
  mayMove,
  statusesBefore,
  type JobStatus,
} from '../../../domain/jobs/job-lifecycle';
import { PLATFORM, SERVICE } from '../../../domain/values/service';
import { acme, id, rival, sampleJob } from '../../domain/fixtures/samples';
import { storeOnEngine } from '../fixtures/engine';
import { now, options } from '../fixtures/operations';
import { store } from '../fixtures/store';

const engine = storeOnEngine('jobs');
const stored = (change: Partial<Job> = {}, more: object = {}) => ({ ...jobToItem(acme, sampleJob(change)), ...more });
const after = () => engine.get('jobs', stored());
const change = (fields: JobChange, more: Partial<ChangeOptions> = {}) =>
  changeJob(acme, id('job'), fields, { ...options, ...more });
const cancel = () => storeCancellation(acme, id('job'), options);
const written = { version: 4, updatedAt: now, changeId: options.changeId };

describe.each(jobStatuses)('A job that is %s', (from) => {
  const item = stored({ status: from });
  beforeEach(() => engine.put('jobs', item));

  test.each(jobStatuses)('is changed to %s if the lifecycle allows it, by one command', async (to) => {
    const changed = change({ status: to });
    if (from !== to && !mayMove(from, to))
      await expect(changed).rejects.toMatchObject({
        code: 'invalid_request',
        details: [{ path: 'status', message: `can't move from ${from} to ${to}` }],
      });
    else await expect(changed).resolves.toMatchObject({ status: to, version: from === to ? 3 : 4 });
    expect(store.calls()).toHaveLength(1);
    const cancelledAt = to === 'CANCELLED' ? { cancelledAt: now } : {};
    const flightTime = isFlown(to) ? { startedAt: now } : isFinal(to) ? { endedAt: now } : {};
    const moved = { ...stored({ status: to, ...cancelledAt }), ...written, ...flightTime };
    expect(await after()).toEqual(mayMove(from, to) ? moved : item);
  });

  test.each(jobStatuses)(
    'may stay so, or become %s if the lifecycle allows it, when another field changes',
    async (to) => {
      const changed = change({ status: to, name: 'Other' });
      if (from === to || mayMove(from, to)) await expect(changed).resolves.toMatchObject({ status: to, name: 'Other' });
      else await expect(changed).rejects.toMatchObject({ code: 'invalid_request', details: [{ path: 'status' }] });
      expect(store.calls()).toHaveLength(1);
    },
  );

  test('is cancelled when it is PENDING or QUEUED, by one command', async () => {
    if (statusesBefore('CANCELLED').includes(from))
      await expect(cancel()).resolves.toMatchObject({ status: 'CANCELLED' });
    else await expect(cancel()).rejects.toMatchObject({ code: 'cannot_cancel' });
    expect(store.calls()).toHaveLength(1);
  });
});

const reported = (status: JobStatus) => ({ reported: { status, at: now } });
const pairs = jobStatuses.flatMap((from) => jobStatuses.map((to) => ({ from, to })));
const moves = pairs.filter(({ from, to }) => mayMove(from, to));

describe('A job on which the platform has reported', () => {
  test.each(pairs)('is changed by a partner from $from to $to only to cancel it', async ({ from, to }) => {
    const item = stored({ status: from }, reported(from));
    await engine.put('jobs', item);
    const changed = change({ status: to });
    if (from === to || (to === 'CANCELLED' && mayMove(from, to)))
      await expect(changed).resolves.toMatchObject({ status: to });
    else await expect(changed).rejects.toMatchObject({ code: 'invalid_request', details: [{ path: 'status' }] });
    expect(store.calls()).toHaveLength(1);
    if (to !== 'CANCELLED') expect(await after()).toEqual(item);
  });

  test.each(pairs)('gets no other name with a status that is refused, from $from to $to', async ({ from, to }) => {
    const item = stored({ status: from }, reported(from));
    await engine.put('jobs', item);
    const isAllowed = from === to || (to === 'CANCELLED' && mayMove(from, to));
    const changed = change({ status: to, name: 'Other' });
    if (isAllowed) await expect(changed).resolves.toMatchObject({ status: to, name: 'Other', version: 4 });
    else await expect(changed).rejects.toMatchObject({ code: 'invalid_request' });
    if (!isAllowed) expect(await after()).toEqual(item);
  });

  test.each(moves)('is changed by the service and by the platform from $from to $to', async ({ from, to }) => {
    for (const changedBy of [SERVICE, PLATFORM] as const) {
      await engine.put('jobs', stored({ status: from }, reported(from)));
      await expect(change({ status: to }, { changedBy })).resolves.toMatchObject({ status: to, version: 4 });
      expect((await after())?.['changedBy']).toBe(changedBy === PLATFORM ? PLATFORM : undefined);
    }
  });

  test.each(jobStatuses)('can still get another name, and be cancelled as before, while it is %s', async (status) => {
    await engine.put('jobs', stored({ status }, reported(status)));
    await expect(change({ name: 'Other' })).resolves.toMatchObject({ name: 'Other', status });
    const cancelled = storeCancellation(acme, id('job'), { ...options, changeId: 'request-2' });
    if (mayMove(status, 'CANCELLED')) await expect(cancelled).resolves.toMatchObject({ status: 'CANCELLED' });
    else await expect(cancelled).rejects.toEqual(cannotCancel(status));
  });
});

test.each(jobStatuses.filter(isReported))(
  'a report of %s, which a partner has set, is stored once if the job is open',
  async (status) => {
    const item = stored({ status });
    await engine.put('jobs', item);
    for (const changeId of ['report-1', 'report-2'])
      await change({ status }, { changeId, changedBy: PLATFORM, cause: { reportedAt: now, deviceId: id('device') } });
    if (isFinal(status)) expect(await after()).toEqual(item);
    else expect(await after()).toMatchObject({ status, version: 4, ...reported(status), deviceId: id('device') });
  },
);

describe('changeJob', () => {
  test.each<[string, object, JobChange, Partial<ChangeOptions>, object]>([
    ['keeps the other fields', {}, { name: 'Other', metadata: { a: 1 } }, {}, { name: 'Other', metadata: '{"a":1}' }],
    [
      'by the platform marks the job',
      {},
      { priority: 9 },
      { changedBy: PLATFORM },
      { priority: 9, changedBy: PLATFORM },
    ],
    [
      'by a partner removes the mark',
      { changedBy: PLATFORM },
      { priority: 9 },
      {},
      { priority: 9, changedBy: undefined },
    ],
    ['of the required version is done', {}, { priority: 9 }, { ifVersions: [3] }, { priority: 9 }],
    [
      'keeps when the job was cancelled and ended',
      { status: 'CANCELLED', cancelledAt: '2026-11-27T10:00:00.000Z', endedAt: '2026-11-27T10:00:00.000Z' },
      { status: 'CANCELLED', name: 'Other' },
      {},
      { name: 'Other', organisationStatus: `${acme}#CANCELLED` },
    ],
  ])('%s', async (_, before, fields, more, expected) => {
    await engine.put('jobs', stored({}, before));
    expect(await change(fields, more)).not.toHaveProperty('changedBy');
    expect(await after()).toEqual({ ...stored({}, before), ...expected, ...written });
  });

  test.each<[string, object, JobChange, string]>([
    ['of another version than the required one', { version: 9 }, { name: 'Other' }, 'stale_version'],
    [
      'of another version, also to a status that is not allowed',
      { version: 9, status: 'COMPLETED' },
      { status: 'QUEUED' },
      'stale_version',
    ],
    ['of another version, also without a change', { version: 9 }, {}, 'stale_version'],
    ['of another organisation', { organisation: rival, jobId: id('job', rival) }, { name: 'Other' }, 'forbidden'],
    [
      'of another organisation, also without a change',
      { organisation: rival, jobId: id('job', rival) },
      {},
      'forbidden',
    ],
    [
      'that does not exist',
      { jobId: id('job', acme, '01jc0000000000000000000000') },
      { name: 'Other' },
      'job_not_found',
    ],
  ])('refuses a job %s by one command', async (_, before, fields, code) => {
    const item = stored({}, before);
    await engine.put('jobs', item);
    const jobId = code === 'forbidden' ? item.jobId : id('job');
    await expect(changeJob(acme, jobId, fields, { ...options, ifVersions: [3] })).rejects.toMatchObject({ code });
    expect(store.calls()).toHaveLength(1);
    expect(await engine.all('jobs')).toEqual([item]);
  });

  test('writes nothing for an empty change', async () => {
    await engine.put('jobs', stored());
    await expect(change({})).resolves.toEqual(sampleJob());
    expect(await after()).toEqual(stored());
  });

  test('sends no command for an id that is not a job id', async () => {
    await expect(changeJob(acme, 'job-1', { name: 'Other' }, options)).rejects.toMatchObject({ code: 'job_not_found' });
    expect(store).not.toHaveReceivedAnyCommand();
  });
});

describe.each([
  ['changeJob', () => change({ status: 'CANCELLED' }, { ifVersions: [3] })],
  ['cancelJob', cancel],
])('%s', (_, run) => {
  test('applies a retry by the SDK after a lost response once', async () => {
    await engine.put('jobs', stored());
    const done = await run();
    await expect(run()).resolves.toEqual(done);
    expect(await findJob(acme, id('job'))).toEqual(done);
    expect(done).toMatchObject({ status: 'CANCELLED', version: 4, cancelledAt: now });
  });

  test('refuses a job that does not exist', async () => {
    await expect(run()).rejects.toMatchObject({ code: 'job_not_found' });
    expect(store.calls()).toHaveLength(1);
  });

  test('fails for an item that is not a job', async () => {
    await engine.put('jobs', { organisation: acme, jobId: id('job') });
    await expect(run()).rejects.toMatchObject({ name: '$ZodError' });
  });

  test('fails when the write returns no job', async () => {
    store.on(UpdateCommand).resolves({});
    await expect(run()).rejects.toThrow('returned no job');
  });
});

test('cancelJob refuses a job that an earlier request cancelled', async () => {
  await engine.put('jobs', stored());
  await storeCancellation(acme, id('job'), { ...options, changeId: 'request-0' });
  await expect(cancel()).rejects.toMatchObject({ code: 'cannot_cancel' });
});

test('cancelJob refuses a job of another organisation', async () => {
  const item = jobToItem(rival, sampleJob({ jobId: id('job', rival) }));
  await engine.put('jobs', item);
  await expect(storeCancellation(acme, item.jobId, options)).rejects.toMatchObject({ code: 'forbidden' });
  expect(await engine.all('jobs')).toEqual([item]);
});
