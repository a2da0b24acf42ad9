import { noteFailedCall } from '../../../data/store/failed-call';
import { logger } from '../../../lambdas/runtime/logger';
import { about, currentSubject, named, namedIn } from '../../../lambdas/runtime/subject';
import { id } from '../../domain/fixtures/samples';
import { logLines } from '../fixtures/log';
import { embeddedMetrics } from '../fixtures/embedded-metrics';

describe('Logger', () => {
  afterEach(() => {
    delete process.env['_X_AMZN_TRACE_ID'];
  });

  test('lines name what is handled, also after a wait, and nothing else afterwards', async () => {
    await about({ jobId: 'job-1', version: 2 }, async () => {
      await Promise.resolve();
      about({ eventId: 'event-1' }, () => logger.info('first'));
      logger.warn('second', { version: 3 });
    });
    logger.info('third');
    const [first, second, third] = logLines();
    expect(first).toMatchObject({ message: 'first', jobId: 'job-1', version: 2, eventId: 'event-1' });
    expect(second).toMatchObject({ message: 'second', jobId: 'job-1', version: 3 });
    expect(second).not.toHaveProperty('eventId');
    expect(Object.keys(third ?? {})).toEqual(['level', 'message', 'timestamp']);
    expect(currentSubject()).toEqual({});
  });

  test.each([
    ['Root=1-65a1-abc;Parent=1;Sampled=1;Lineage=x:0', '1-65a1-abc'],
    ['Root=1-65a1-abc;Parent=1;Sampled=0', undefined],
    ['Root=1-65a1-abc', undefined],
  ])('of the tracing header %s the trace is %s', (header, expected) => {
    process.env['_X_AMZN_TRACE_ID'] = header;
    logger.info('line');
    expect(logLines()[0]?.['traceId']).toBe(expected);
  });

  test('an error of a store names its call', () => {
    const error = new Error('throttled');
    noteFailedCall(error, 'PutItemCommand', { TableName: 'stack-jobs' });
    logger.error('failed', { error });
    expect(logLines()).toMatchObject([
      { error: { message: 'throttled', operation: 'PutItem', tables: ['stack-jobs'] } },
    ]);
  });

  test('only identifiers are named, a share by its digest', () => {
    expect(namedIn({ jobId: id('job'), deviceId: 'anything', shareCode: id('share'), name: id('device') })).toEqual({
      jobId: id('job'),
      shareId: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
    });
    expect([named('eyJhbGciOi'), named(undefined), named(7), namedIn(null), namedIn('text')]).toEqual([
      {},
      {},
      {},
      {},
      {},
    ]);
    expect(named(id('group'))).toEqual({ deviceGroupId: id('group') });
  });
});

describe('Embedded metric', () => {
  const counting = { METRIC_NAMESPACE: 'DroneMissionApi', CAPABILITY: 'sockets', COUNTED_REASON: 'share_not_found' };
  const givenVariables = (variables: Partial<typeof counting>) => jest.replaceProperty(process, 'env', variables);

  const errors = { namespace: 'DroneMissionApi', name: 'Errors', dimensions: { capability: 'sockets' }, value: 1 };
  const refusals = {
    namespace: 'DroneMissionApi',
    name: 'Refusals',
    dimensions: { reason: 'share_not_found' },
    value: 1,
  };

  test.each<[string, Partial<typeof counting>, () => void, object[]]>([
    ['an error', counting, () => logger.error('failed', { error: new Error('no table') }), [errors]],
    [
      'an error that has a counted reason, once',
      counting,
      () => logger.error('failed', { reason: 'share_not_found' }),
      [errors],
    ],
    [
      'a refusal for the counted reason',
      counting,
      () => logger.info('request', { reason: 'share_not_found' }),
      [refusals],
    ],
    ['no refusal for another reason', counting, () => logger.info('request', { reason: 'forbidden' }), []],
    [
      'a throttled call',
      counting,
      () => logger.warn('is to come back', { throttled: true, error: new Error('throttled') }),
      [{ ...errors, name: 'Throttles' }],
    ],
    ['no warning', counting, () => logger.warn('is retried', { error: new Error('throttled') }), []],
    ['no request', counting, () => logger.info('request', { status: 200 }), []],
    ['no error of a function without a capability', {}, () => logger.error('failed'), []],
    ['no refusal of a function that counts none', {}, () => logger.info('request', { reason: 'share_not_found' }), []],
  ])('counts %s, in the embedded metric format', (_, variables, log, metrics) => {
    givenVariables(variables);
    log();
    expect(logLines()).toHaveLength(1);
    expect(embeddedMetrics()).toEqual(metrics);
  });

  test('a counted line has the fields of others, too', () => {
    givenVariables(counting);
    logger.error('failed', { action: 'publish', error: new Error('no table') });
    expect(logLines()).toMatchObject([
      { level: 'ERROR', message: 'failed', action: 'publish', error: { message: 'no table' } },
    ]);
    const [{ timestamp, _aws }] = logLines() as [{ timestamp: string; _aws: { Timestamp: number } }];
    expect(_aws.Timestamp).toBe(Date.parse(timestamp));
  });
});
