import { BatchGetCommand, GetCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { toItem } from '../../../data/jobs/job-item';
import type { JobStatus } from '../../../domain/jobs/job-lifecycle';
import { acme, id, sampleJob } from '../../domain/fixtures/samples';
import { connection, sockets } from '../../data/fixtures/sockets';
import { conditionFailed, store } from '../../data/fixtures/store';
import { logLines, written } from '../fixtures/log';
import { givenStore, consume, consumeAgain, platformEvent } from '../fixtures/platform-events';
import { deviceItem, later, newDeviceId } from '../fixtures/telemetry';

/** Reasons in the lines logged so far. */
const loggedReasons = () => logLines().flatMap(({ reason }) => (reason === undefined ? [] : [reason]));

describe('An event of the drone platform', () => {
  const at = new Date().toISOString();
  const report = (status: JobStatus) => consume(platformEvent('job.status.reported', { jobId: id('job'), status, at }));
  const telemetryOf = (deviceId: string) => platformEvent('device.telemetry.reported', { deviceId, timestamp: at });
  const telemetry = (deviceId: string) => consume(telemetryOf(deviceId));

  /** Stores the sample job with a status that the report cannot change, or no job. */
  function givenJob(status?: JobStatus): void {
    const item = status && toItem(acme, sampleJob({ status, createdAt: at }));
    store.on(UpdateCommand).rejects(conditionFailed(item));
    store.on(GetCommand).resolves(item ? { Item: item } : {});
  }
  function givenDevices(...fleet: object[]): void {
    store.on(BatchGetCommand).resolves({ Responses: { fleet } });
    store.on(UpdateCommand, { TableName: 'fleet' }).resolves({ Attributes: fleet[0] as Record<string, unknown> });
  }
  const lastState = JSON.stringify({ timestamp: at });
  const known = newDeviceId();

  beforeEach(() => {
    givenStore();
  });

  test.each<[string, () => unknown, () => Promise<unknown>]>([
    ['late', () => givenJob('IN_PROGRESS'), () => report('QUEUED')],
    ['contradictory', () => givenJob('COMPLETED'), () => report('FAILED')],
    ['repeated', () => givenJob('QUEUED'), () => report('QUEUED')],
    ['unknown', () => givenJob(), () => report('QUEUED')],
    ['late', () => givenDevices(deviceItem(known, { lastState })), () => telemetry(known)],
    ['malformed', () => undefined, () => consume(platformEvent('job.status.reported', { at }))],
    ['malformed', () => undefined, () => consume(platformEvent('weather.reported', {}))],
    ['malformed', () => undefined, () => telemetry('drone-7')],
    ['unknown', () => givenDevices(), () => consumeAgain(5, telemetryOf(newDeviceId()))],
    ['malformed', () => undefined, () => consume(platformEvent('device.removed', { deviceId: 'drone-7' }))],
  ])('that is dropped as %s is logged with that reason', async (reason, given, when) => {
    given();
    await when();
    expect(written.join('')).not.toBe('');
    expect(loggedReasons()).toEqual([reason]);
  });

  test('that cannot be sent to a follower is logged without a reason', async () => {
    const deviceId = newDeviceId();
    givenDevices(deviceItem(deviceId, { socketsUntil: later }));
    store.on(QueryCommand).resolves({ Items: [connection({ channel: `telemetry#${deviceId}` })] });
    sockets.rejects(new Error('socket hang up on 10.0.0.7'));
    await telemetry(deviceId);
    expect(logLines()).toMatchObject([{ message: 'socket could be neither posted to nor closed' }]);
    expect(loggedReasons()).toEqual([]);
  });

  const accepted = newDeviceId();
  test.each<[string, () => unknown, () => Promise<unknown>]>([
    ['is accepted', () => givenDevices(deviceItem(accepted)), () => telemetry(accepted)],
    ['is retried because it is early', () => givenJob('QUEUED'), () => report('COMPLETED')],
    ['is retried because its device is unknown', () => givenDevices(), () => telemetry(newDeviceId())],
  ])('that %s is not logged as dropped', async (_, given, when) => {
    given();
    await when();
    expect(loggedReasons()).toEqual([]);
  });
});
