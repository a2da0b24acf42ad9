import type { SQSEvent } from 'aws-lambda';
import { registerDevice, registerGroup, removeFromFleet } from '../../../data/fleet/fleet-registry';
import { changeJob } from '../../../data/jobs/job-changes';
import { readItem } from '../../../data/jobs/jobs';
import { sendToDeadLetterQueue } from '../../../data/platform/dead-letter-queue';
import type { JobStatus } from '../../../domain/job-lifecycle';
import { invalid, Refusal } from '../../../domain/refusal';
import { handler } from '../../../lambdas/queue/consume-platform-events';
import { acceptTelemetry } from '../../../lambdas/delivery/telemetry/accept';
import { acme, id, rival, sampleJob } from '../../domain/fixtures/samples';

jest.mock('../../../data/fleet/fleet-registry');
jest.mock('../../../data/jobs/job-changes');
jest.mock('../../../data/jobs/jobs');
jest.mock('../../../data/platform/dead-letter-queue');
jest.mock('../../../lambdas/delivery/telemetry/accept');

const at = '2026-11-27T10:30:00.000Z';
/** As EventBridge writes it. */
const time = '2026-11-20T10:30:00Z';
const happened = new Date(time);
const change = jest.mocked(changeJob);
const read = jest.mocked(readItem);
const accept = jest.mocked(acceptTelemetry);
const aside = jest.mocked(sendToDeadLetterQueue);
const bodyOf = (type: string, detail: unknown) =>
  JSON.stringify({ id: 'event-1', source: 'drone-platform', 'detail-type': type, time, detail });
const hear = (...bodies: string[]) =>
  handler({ Records: bodies.map((body, index) => ({ messageId: `m${index}`, body })) } as unknown as SQSEvent);
const done = { batchItemFailures: [] };
const report = (status: JobStatus, jobId = id('job')) => bodyOf('job.status.reported', { jobId, status, at });
const sample = (deviceId = id('device')) => ({ deviceId, timestamp: at, battery: { percent: 50 } });

beforeEach(() => {
  jest.resetAllMocks();
  jest.spyOn(process.stdout, 'write').mockReturnValue(true);
  accept.mockResolvedValue(1);
  jest.mocked(registerGroup).mockResolvedValue(true);
  jest.mocked(registerDevice).mockResolvedValue(true);
  jest.mocked(removeFromFleet).mockResolvedValue(true);
});

test('A reported status is a change of the job’s own organisation, named after the event', async () => {
  change.mockImplementation((_caller, _jobId, _change, { now }) => Promise.resolve(sampleJob({ updatedAt: now })));
  expect(await hear(report('QUEUED'))).toEqual(done);
  const options = expect.objectContaining({ changeId: 'platform-event-1' }) as unknown;
  expect(change).toHaveBeenCalledWith(acme, id('job'), { status: 'QUEUED' }, options);
});

test.each<[string, JobStatus, JobStatus]>([
  ['late', 'IN_PROGRESS', 'QUEUED'],
  ['contradictory', 'COMPLETED', 'FAILED'],
])('A report that is %s changes nothing and is left at that', async (_reason, known, reported) => {
  change.mockRejectedValue(invalid('status', 'no'));
  read.mockResolvedValue({ owner: acme, changeId: undefined, job: sampleJob({ status: known }) });
  expect(await hear(report(reported))).toEqual(done);
  expect(aside).not.toHaveBeenCalled();
});

test('A report that came before the one it builds on comes again', async () => {
  change.mockRejectedValue(invalid('status', 'no'));
  read.mockResolvedValue({ owner: acme, changeId: undefined, job: sampleJob({ status: 'QUEUED' }) });
  expect(await hear(report('COMPLETED'))).toEqual({ batchItemFailures: [{ itemIdentifier: 'm0' }] });
});

test.each([id('job'), 'no-id'])('A report on a job that isn’t there (%s) changes nothing', async (jobId) => {
  change.mockRejectedValue(new Refusal('job_not_found'));
  read.mockResolvedValue(undefined);
  expect(await hear(report('QUEUED', jobId))).toEqual(done);
});

test('Telemetry, one sample or many, goes the way of published telemetry, to each owner its own', async () => {
  await hear(bodyOf('device.telemetry.reported', sample()));
  expect(accept).toHaveBeenCalledWith(acme, [sample()], expect.any(Date), happened);
  await hear(bodyOf('device.telemetry.reported', { telemetry: [sample(), sample(id('device', rival))] }));
  expect(accept).toHaveBeenCalledWith(rival, [sample(id('device', rival))], expect.any(Date), happened);
  expect(accept).toHaveBeenCalledTimes(3);
});

test('Groups and devices are registered and removed', async () => {
  const group = { deviceGroupId: id('group'), name: 'North', description: 'Rim' };
  const device = { deviceId: id('device'), deviceGroupId: id('group'), name: 'Kestrel' };
  expect(await hear(bodyOf('device-group.registered', group), bodyOf('device.registered', device))).toEqual(done);
  expect(registerGroup).toHaveBeenCalledWith(acme, group, happened);
  expect(registerDevice).toHaveBeenCalledWith(acme, device, happened);
  await hear(
    bodyOf('device.removed', { deviceId: id('device') }),
    bodyOf('device-group.removed', { deviceGroupId: id('group') }),
  );
  expect(removeFromFleet).toHaveBeenCalledWith(acme, 'device', id('device'), happened);
  expect(removeFromFleet).toHaveBeenCalledWith(acme, 'group', id('group'), happened);
});

test('An event of the fleet that is older than what is known is left at that, and counted', async () => {
  const write = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
  jest.mocked(removeFromFleet).mockResolvedValue(false);
  expect(await hear(bodyOf('device.removed', { deviceId: id('device') }))).toEqual(done);
  expect(aside).not.toHaveBeenCalled();
  expect(JSON.parse(String(write.mock.calls[0]?.[0]))).toMatchObject({ type: 'device.removed', reason: 'late' });
});

test('An event from a clock that is ahead happened now', async () => {
  const before = Date.now();
  const body = JSON.parse(bodyOf('device.removed', { deviceId: id('device') })) as object;
  await hear(JSON.stringify({ ...body, time: '2999-01-01T00:00:00Z' }));
  const [, , , when] = jest.mocked(removeFromFleet).mock.calls[0] ?? [];
  expect(when?.getTime()).toBeGreaterThanOrEqual(before);
  expect(when?.getTime()).toBeLessThanOrEqual(Date.now());
});

test.each([
  ['no JSON', 'hello'],
  ['no event', '{}'],
  ['of somebody else', JSON.stringify({ id: 'e', source: 'stranger', 'detail-type': 'job.status.reported', time })],
  ['of no time', bodyOf('device.removed', { deviceId: id('device') }).replace(time, 'noon')],
  ['of an unknown type', bodyOf('weather.reported', {})],
  ['named like what every object has', bodyOf('toString', {})],
  ['without a job', bodyOf('job.status.reported', { status: 'QUEUED', at })],
  ['with a status that there is not', bodyOf('job.status.reported', { jobId: id('job'), status: 'LOST', at })],
  ['with a bad moment', bodyOf('job.status.reported', { jobId: id('job'), status: 'QUEUED', at: 'noon' })],
  ['with a position that is none', bodyOf('device.telemetry.reported', { ...sample(), navigation: { position: 7 } })],
  ['without samples', bodyOf('device.telemetry.reported', { telemetry: [] })],
  ['about a device that can’t be ours', bodyOf('device.telemetry.reported', sample('drone-7'))],
  ['about a group that can’t be ours', bodyOf('device-group.registered', { deviceGroupId: 'g', name: 'North' })],
])('An event that is %s is put aside as it came, and what is behind it is heard', async (_what, body) => {
  const behind = bodyOf('device.removed', { deviceId: id('device') });
  expect(await hear(body, behind)).toEqual(done);
  expect(aside).toHaveBeenCalledTimes(1);
  expect(aside).toHaveBeenCalledWith(body, expect.stringMatching(/./));
  expect(removeFromFleet).toHaveBeenCalledTimes(1);
});

test('Foreign devices in a list are put aside too', async () => {
  accept.mockRejectedValue(invalid('telemetry.0.deviceId', 'is not a device of yours'));
  expect(await hear(bodyOf('device.telemetry.reported', sample()))).toEqual(done);
  expect(aside).toHaveBeenCalledWith(expect.anything(), expect.stringContaining('is not a device of yours'));
});

test('What the store could not do comes again', async () => {
  change.mockRejectedValue(new Error('throttled'));
  expect(await hear(report('QUEUED'), bodyOf('device.removed', { deviceId: id('device') }))).toEqual({
    batchItemFailures: [{ itemIdentifier: 'm0' }],
  });
  expect(removeFromFleet).toHaveBeenCalledTimes(1);
});
