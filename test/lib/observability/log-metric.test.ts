import '../without-code';
import type { SQSEvent } from 'aws-lambda';
import { changeJob } from '../../../data/jobs/job-changes';
import { BatchGetCommand, QueryCommand, UpdateCommand } from '../../../data/store/document-client';
import { readItem } from '../../../data/jobs/jobs';
import { invalid, Refusal } from '../../../domain/refusal';
import { handler as hear } from '../../../lambdas/queue/consume-platform-events';
import { acceptTelemetry } from '../../../lambdas/delivery/telemetry/accept';
import { acme, id, sampleJob } from '../../domain/fixtures/samples';
import { connection, sockets } from '../../data/fixtures/sockets';
import { store } from '../../data/fixtures/store';
import { logLines, written } from '../../lambdas/fixtures/log';
import { deviceItem } from '../../lambdas/fixtures/telemetry';
import { counted, filtersOn } from './filter-pattern';
import { smallTable, synthesise } from '../synthesised';

jest.mock('../../../data/jobs/job-changes');
jest.mock('../../../data/jobs/jobs');
jest.mock('../../../data/platform/dead-letter-queue');
jest.mock('../../../lambdas/delivery/telemetry/accept');

const stack = synthesise({}, smallTable);

/** What the filters on a function's log count of what has been logged: name of the metric and dimensions. */
const countedOf = (place: string) =>
  logLines().flatMap((line) =>
    filtersOn(stack, place).flatMap((filter) => {
      const values = counted(filter, line);
      return values ? [[filter.metric, ...values].join(' ')] : [];
    }),
  );

describe('What the drone platform reports', () => {
  const at = '2026-11-27T10:30:00.000Z';
  const say = (type: string, detail: unknown) => {
    const body = JSON.stringify({ id: 'event-1', source: 'drone-platform', 'detail-type': type, time: at, detail });
    return hear({ Records: [{ messageId: 'm', body }] } as unknown as SQSEvent);
  };
  const report = (status: string) => say('job.status.reported', { jobId: id('job'), status, at });
  const known = (status: 'QUEUED' | 'IN_PROGRESS' | 'COMPLETED') => {
    jest.mocked(changeJob).mockRejectedValue(invalid('status', 'no'));
    jest
      .mocked(readItem)
      .mockResolvedValue({ owner: acme, changeId: undefined, job: sampleJob({ status, updatedAt: at }) });
  };
  const telemetry = () => say('device.telemetry.reported', { deviceId: id('device'), timestamp: at });

  test.each([
    ['late', () => known('IN_PROGRESS'), () => report('QUEUED')],
    ['contradictory', () => known('COMPLETED'), () => report('FAILED')],
    ['repeated', () => jest.mocked(changeJob).mockResolvedValue(sampleJob()), () => report('QUEUED')],
    ['unknown', () => jest.mocked(readItem).mockResolvedValue(undefined), () => report('QUEUED')],
    ['late or repeated', () => jest.mocked(acceptTelemetry).mockResolvedValue(0), telemetry],
    ['malformed', () => undefined, () => say('job.status.reported', { at })],
    ['unknown_action', () => undefined, () => say('weather.reported', {})],
    ['invalid_request', () => jest.mocked(acceptTelemetry).mockRejectedValue(invalid('telemetry', 'no')), telemetry],
  ])('and is dropped for being %s is counted under that reason', async (reason, given, when) => {
    jest.mocked(changeJob).mockRejectedValue(new Refusal('job_not_found'));
    given();
    await when();
    expect(written.join('')).not.toBe('');
    expect(countedOf('PlatformIntegration/InboundEvents/ConsumePlatformEvents')).toEqual([
      `PlatformReportsDropped ${reason}`,
    ]);
  });

  test('and that a follower can not be told of is not counted: the text of an error would be a metric.', async () => {
    const { acceptTelemetry: accept } = jest.requireActual<typeof import('../../../lambdas/delivery/telemetry/accept')>(
      '../../../lambdas/delivery/telemetry/accept',
    );
    jest.mocked(acceptTelemetry).mockImplementation(accept);
    store.on(BatchGetCommand).resolves({ Responses: { fleet: [deviceItem(id('device'))] } });
    store.on(UpdateCommand).resolves({});
    store.on(QueryCommand).resolves({ Items: [connection({ channel: `telemetry#${id('device')}` })] });
    sockets.rejects(new Error('socket hang up on 10.0.0.7'));
    await say('device.telemetry.reported', { deviceId: id('device'), timestamp: new Date().toISOString() });
    expect(logLines()).toMatchObject([{ message: 'a socket could be neither reached nor closed' }]);
    expect(countedOf('PlatformIntegration/InboundEvents/ConsumePlatformEvents')).toEqual([]);
  });

  test.each([
    ['is taken', () => jest.mocked(acceptTelemetry).mockResolvedValue(1), telemetry],
    ['comes too early, and so comes again,', () => known('QUEUED'), () => report('COMPLETED')],
  ])('and %s is not counted', async (_, given, when) => {
    given();
    await when();
    expect(countedOf('PlatformIntegration/InboundEvents/ConsumePlatformEvents')).toEqual([]);
  });
});
