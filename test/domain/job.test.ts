import { changesNothing, jobChange, jobRequest, newJob } from '../../domain/job';

const least = { name: 'Rim inspection', deviceGroupId: 'group-1' };
const now = '2026-11-27T10:00:00.000Z';

test('A request names the job and its device group; the priority is 5 unless it says otherwise.', () => {
  expect(jobRequest.parse(least)).toEqual({ ...least, priority: 5 });
});

test('A request may say where, when, how urgently and why.', () => {
  const full = {
    ...least,
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
  ['an empty name', { ...least, name: '' }, 'name'],
  ['a name of 257 characters', { ...least, name: 'n'.repeat(257) }, 'name'],
  ['a name that is a number', { ...least, name: 1 }, 'name'],
  ['no device group', { name: 'Rim' }, 'deviceGroupId'],
  ['a description of 4,097 characters', { ...least, description: 'd'.repeat(4097) }, 'description'],
  ['an empty mission', { ...least, missionId: '' }, 'missionId'],
  ['a device that is null', { ...least, deviceId: null }, 'deviceId'],
  ['metadata that is text', { ...least, metadata: 'site' }, 'metadata'],
  ['a moment without its offset', { ...least, scheduledAt: '2026-11-27T12:00:00' }, 'scheduledAt'],
])('A request with %s is refused, and told which field it is.', (_, request, field) => {
  expect(jobRequest.safeParse(request).error?.issues.map(({ path }) => path.join('.'))).toEqual([field]);
});

test('The longest name and description that are promised are taken.', () => {
  expect(jobRequest.safeParse({ ...least, name: 'n'.repeat(256), description: 'd'.repeat(4096) }).success).toBe(true);
});

test.each([jobRequest, jobChange])('Priorities go from 1 to 10, in whole steps.', (schema) => {
  const accepted = (priority: unknown) => schema.safeParse({ ...least, deviceGroupId: undefined, priority });
  const named = (priority: unknown) => accepted(priority).error?.issues.some(({ path }) => path[0] === 'priority');
  expect([1, 5, 10].map(named)).not.toContain(true);
  expect([0, 11, 5.5, '5', null, NaN].map(named)).toEqual(Array(6).fill(true));
});

test('A field that the service does not know is refused by name, so that none vanishes.', () => {
  const [issue] = jobRequest.safeParse({ ...least, sheduledAt: now }).error?.issues ?? [];
  expect(issue).toMatchObject({ code: 'unrecognized_keys', keys: ['sheduledAt'] });
});

test.each(['jobId', 'createdAt', 'version', 'deviceGroupId', 'scheduledAt'])('A change may not touch %s.', (field) => {
  expect(jobChange.safeParse({ [field]: 'x' }).success).toBe(false);
});

test('A change without any field is fine, and has no defaults.', () => {
  expect(jobChange.parse({})).toEqual({});
});

test('A change to a status that does not exist is refused.', () => {
  expect(jobChange.safeParse({ status: 'PAUSED' }).success).toBe(false);
});

test('A new job is PENDING at version 1, created and updated now.', () => {
  expect(newJob(jobRequest.parse(least), 'job-1', now)).toEqual({
    ...least,
    priority: 5,
    jobId: 'job-1',
    status: 'PENDING',
    version: 1,
    createdAt: now,
    updatedAt: now,
  });
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
] as const)('%j changes nothing of a job that is QUEUED: %s.', (change, nothing) => {
  expect(changesNothing(change, 'QUEUED')).toBe(nothing);
});
