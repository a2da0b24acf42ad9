import { fromItem, toItem } from '../../../data/jobs/job-item';
import { failureReasons } from '../../../domain/jobs/job-report';
import type { Job } from '../../../domain/jobs/job';
import { storeOnEngine } from '../../data/fixtures/engine';
import { acme, id, rival, sampleJob } from '../../domain/fixtures/samples';
import { logLines } from '../fixtures/log';
import { consume, platformEvent } from '../fixtures/platform-events';

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
  await engine.put('jobs', ...whole.map((job) => toItem(acme, job)));
}
const register = (group: string) =>
  consume(
    platformEvent('device.registered', { deviceId, deviceGroupId: group, name: 'Kestrel', at: '2026-11-27T10:00:00Z' }),
  );
const statuses = async () =>
  (await engine.all('jobs')).map((item) => fromItem(item)?.job).map((job) => [job?.status, job?.reason]);

test('a removed device fails the open jobs that name it, in words too, and the platform hears of them as of any change', async () => {
  await givenJobs({ deviceId }, { deviceId, status: 'IN_PROGRESS' }, { deviceId, status: 'COMPLETED' }, {});
  expect(await consume(platformEvent('device.removed', { deviceId }))).toEqual(succeeded);
  expect(await statuses()).toEqual([
    ['FAILED', 'DEVICE_REMOVED'],
    ['FAILED', 'DEVICE_REMOVED'],
    ['COMPLETED', undefined],
    ['PENDING', undefined],
  ]);
  const [first] = (await engine.all('jobs')).map((item) => fromItem(item));
  expect(first).toMatchObject({ changedBy: undefined, job: { version: 4, reasonText: failureReasons.DEVICE_REMOVED } });
});

test('a removed group fails all its open jobs, more than one page of them, and none of another organisation', async () => {
  await givenJobs(...Array.from({ length: 150 }, () => ({})), { deviceGroupId: id('group', acme, '1'.repeat(26)) });
  const foreign = sampleJob({ jobId: numbered('job', 1, rival), deviceGroupId });
  await engine.put('jobs', toItem(rival, foreign));
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
