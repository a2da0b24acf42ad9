import { jobChange } from '../../../domain/jobs/job-change';
import { jobRequest, newJob } from '../../../domain/jobs/job-request';
import { changesNothing } from '../../../domain/jobs/job-change';
import { jobStatuses } from '../../../domain/jobs/job-lifecycle';
import { newestProgress } from '../../../domain/jobs/progress';
import { id, refusalOf, sampleJob } from '../fixtures/samples';

describe('Job', () => {
  const minimal = { name: 'Rim inspection', deviceGroupId: 'group-1' };
  const now = '2026-11-27T10:00:00.000Z';

  test('a request needs a name and a device group; the default priority is 5', () => {
    expect(jobRequest.parse(minimal)).toEqual({ ...minimal, priority: 5 });
  });

  test('a request may have all optional fields', () => {
    const full = {
      ...minimal,
      description: '',
      missionId: 'mission-1',
      deviceId: 'device-1',
      priority: 10,
      metadata: { site: 'north' },
    };
    const request = jobRequest.parse({ ...full, scheduledAt: '2026-11-27T12:00:00+01:00' });
    expect(request).toEqual({ ...full, scheduledAt: '2026-11-27T11:00:00.000Z' });
  });

  test.each([
    ['no name', { deviceGroupId: 'group-1' }, 'name'],
    ['an empty name', { ...minimal, name: '' }, 'name'],
    ['a name of 257 characters', { ...minimal, name: 'n'.repeat(257) }, 'name'],
    ['a name that is a number', { ...minimal, name: 1 }, 'name'],
    ['no device group', { name: 'Rim' }, 'deviceGroupId'],
    ['a description of 4,097 characters', { ...minimal, description: 'd'.repeat(4097) }, 'description'],
    ['an empty mission', { ...minimal, missionId: '' }, 'missionId'],
    ['a device that is null', { ...minimal, deviceId: null }, 'deviceId'],
    ['metadata that is text', { ...minimal, metadata: 'site' }, 'metadata'],
    ['a time without offset', { ...minimal, scheduledAt: '2026-11-27T12:00:00' }, 'scheduledAt'],
  ])('a request with %s is refused with the path of the field', (_, request, field) => {
    expect(jobRequest.safeParse(request).error?.issues.map(({ path }) => path.join('.'))).toEqual([field]);
  });

  test('a name of 256 and a description of 4,096 characters are accepted', () => {
    expect(jobRequest.safeParse({ ...minimal, name: 'n'.repeat(256), description: 'd'.repeat(4096) }).success).toBe(
      true,
    );
  });

  test.each([jobRequest, jobChange])('a priority is an integer from 1 to 10', (schema) => {
    const accepted = (priority: unknown) => schema.safeParse({ ...minimal, deviceGroupId: undefined, priority });
    const named = (priority: unknown) => accepted(priority).error?.issues.some(({ path }) => path[0] === 'priority');
    expect([1, 5, 10].map(named)).not.toContain(true);
    expect([0, 11, 5.5, '5', null, NaN].map(named)).toEqual(Array(6).fill(true));
  });

  test('an unknown field is refused by name', () => {
    const [issue] = jobRequest.safeParse({ ...minimal, sheduledAt: now }).error?.issues ?? [];
    expect(issue).toMatchObject({ code: 'unrecognized_keys', keys: ['sheduledAt'] });
  });

  test.each(['jobId', 'createdAt', 'version', 'deviceGroupId', 'scheduledAt'])('a change of %s is refused', (field) => {
    expect(jobChange.safeParse({ [field]: 'x' }).success).toBe(false);
  });

  test('a change without fields is accepted and gets no defaults', () => {
    expect(jobChange.parse({})).toEqual({});
  });

  test('a change to an unknown status is refused', () => {
    expect(jobChange.safeParse({ status: 'LOST' }).success).toBe(false);
  });

  test('a new job is PENDING at version 1, created and updated now', () => {
    expect(newJob(jobRequest.parse(minimal), 'job-1', now)).toEqual({
      ...minimal,
      priority: 5,
      jobId: 'job-1',
      status: 'PENDING',
      version: 1,
      createdAt: now,
      updatedAt: now,
    });
  });

  test.each([
    ['0001-01-01T00:00:00Z', true],
    ['1970-01-01T00:00:00Z', true],
    ['2026-11-27T10:24:59.999Z', true],
    ['2026-11-27T10:25:00.000Z', false],
    ['2026-11-27T12:25:00+02:00', false],
    ['2999-01-01T00:00:00Z', false],
  ])('of a job that is scheduled for %s it is %s that the time is past', (scheduledAt, isPast) => {
    const create = () => newJob(jobRequest.parse({ ...minimal, scheduledAt }), 'job-1', '2026-11-27T10:30:00.000Z');
    const refused = { path: 'scheduledAt', message: 'is more than five minutes ago' };
    if (isPast) expect(refusalOf(create).details).toEqual([refused]);
    else expect(create()).toMatchObject({ status: 'PENDING' });
  });

  test.each([
    [{}, true],
    [{ name: undefined }, true],
    [{ status: 'QUEUED' }, true],
    [{ status: 'QUEUED', name: undefined }, true],
    [{ status: 'FAILED' }, false],
    [{ status: 'QUEUED', name: 'Other' }, false],
    [{ description: '' }, false],
    [{ metadata: {} }, false],
  ] as const)('%j contains no change for a QUEUED job: %s', (change, nothing) => {
    expect(changesNothing(change, 'QUEUED')).toBe(nothing);
  });
});

const [reported, measured] = [{ percent: 10 }, { percent: 42, distanceLeft: 640, secondsLeft: 75 }];
const reportedAt = '2026-11-27T10:30:00.000Z';
const state = { timestamp: '2026-11-27T10:30:01.000Z', jobId: id('job'), progress: measured };
const flying = { status: 'IN_PROGRESS', progress: reported, reportedAt } as const;

describe('newestProgress', () => {
  test.each<[string, Parameters<typeof sampleJob>[0], Parameters<typeof newestProgress>[1], object | undefined]>([
    ['of the device, when that is later', flying, state, measured],
    ['of the device, when the platform has reported none', { ...flying, progress: undefined }, state, measured],
    ['of the device, when a partner has set the status', { ...flying, reportedAt: undefined }, state, measured],
    [
      'of the device, when it is earlier than a status that was reported without one',
      { ...flying, progress: undefined, reportedAt: '2026-11-27T10:31:00.000Z' },
      state,
      measured,
    ],
    [
      'that was reported, when the state is more than a minute earlier',
      flying,
      { ...state, timestamp: '2026-11-27T10:28:59.999Z' },
      reported,
    ],
    [
      'of the device, whose clock may be a minute behind',
      flying,
      { ...state, timestamp: '2026-11-27T10:29:00Z' },
      measured,
    ],
    ['that was reported, when the device says none', flying, { ...state, progress: undefined }, reported],
    [
      'that was reported, when the device flies another job',
      flying,
      { ...state, jobId: id('job', 'rival001') },
      reported,
    ],
    ['that was reported, when the device names no job', flying, { ...state, jobId: undefined }, reported],
    ['that was reported, when no device is known', flying, undefined, reported],
    ['of nobody, when nobody has said one', { status: 'IN_PROGRESS' }, undefined, undefined],
  ])('is that %s', (_, job, known, expected) => {
    expect(newestProgress(sampleJob(job), known)).toEqual(expected);
  });

  test.each(jobStatuses.filter((status) => status !== 'IN_PROGRESS'))(
    'of a job that is %s is what was reported',
    (status) => {
      expect(newestProgress(sampleJob({ ...flying, status }), state)).toEqual(reported);
      expect(newestProgress(sampleJob({ status }), state)).toBeUndefined();
    },
  );
});
