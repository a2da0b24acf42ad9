import { logger } from '../../../lambdas/runtime/logger';
import { embeddedMetrics } from '../fixtures/embedded-metrics';
import { logLines } from '../fixtures/log';

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
