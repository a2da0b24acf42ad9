import { DeleteCommand, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import '../without-bundling';
import '../../lambdas/fixtures/issuer';
import { shareProtocols } from '../../../contract/shares/viewer-protocol';
import { endpointTable } from '../../../contract/endpoint-table';
import { handler as getShare } from '../../../lambdas/shares/get-share.lambda';
import { handler as listShareResources } from '../../../lambdas/shares/list-share-resources.lambda';
import { handler as revokeShare } from '../../../lambdas/shares/revoke-share.lambda';
import { handler as connect } from '../../../lambdas/channels/connect.lambda';
import '../../data/fixtures/snapshot-function';
import { conditionFailed, store } from '../../data/fixtures/store';
import { acme, id, rival } from '../../domain/fixtures/samples';
import { call, throughCloudFront } from '../../lambdas/fixtures/api-gateway';
import { logLines, written } from '../../lambdas/fixtures/log';
import { shareItem } from '../../lambdas/fixtures/telemetry';
import { embeddedMetrics } from '../../lambdas/fixtures/embedded-metrics';
import { environmentOf, ownFunctions } from '../permissions';
import { synthesise } from '../synthesised';

const ofShares = Object.entries(endpointTable).filter(([key]) => key.includes('/shares'));
const stack = synthesise({}, Object.fromEntries(ofShares));

const guess = id('share', acme, 'kx9mhush7q2v5w8y1z3a4b6c');
const connectWith = (query: Record<string, string>, headers: Record<string, string> = {}) =>
  connect({
    headers: { ...throughCloudFront, ...headers },
    queryStringParameters: { channel: 'telemetry', shareCode: guess, ...query },
    requestContext: { connectionId: 'socket', requestId: 'request-1' },
  } as never);
const callWithGuess = (handler: unknown) =>
  call(handler, { scopes: ['share:read', 'share:manage'], path: { shareCode: guess } });

const attempts: [actor: string, path: string, attempt: () => Promise<unknown>][] = [
  ['a viewer', 'Realtime/WebSocket/Connect', () => connectWith({})],
  [
    'a share page, whose handshake succeeds with an error subprotocol',
    'Realtime/WebSocket/Connect',
    () => connectWith({}, { 'Sec-WebSocket-Protocol': Object.values(shareProtocols).join() }),
  ],
  ['a partner that lists its resources', 'Endpoints/list-share-resources', () => callWithGuess(listShareResources)],
  ['a partner that reads it', 'Endpoints/get-share', () => callWithGuess(getShare)],
  ['a partner that revokes it', 'Endpoints/revoke-share', () => callWithGuess(revokeShare)],
];

/** Sets the variables that say what a function counts, as the stack does. */
const runAs = (path: string) => Object.assign(process.env, countsOf(path));
const countsOf = (path: string) => {
  const { METRIC_NAMESPACE, COUNTED_REASON } = environmentOf(ownFunctions(stack)[`${path}/Function`]);
  return { METRIC_NAMESPACE, COUNTED_REASON };
};
const refused = {
  namespace: 'DroneMissionApi',
  name: 'Refusals',
  dimensions: { reason: 'share_not_found' },
  value: 1,
};

beforeEach(() => {
  process.env['SHARE_BASE_URL'] = 'https://share.test';
  store.resolves({});
  store.on(DeleteCommand).rejects(conditionFailed());
  store.on(UpdateCommand, { TableName: 'requests' }).resolves({ Attributes: { calls: 1 } });
});

test.each(attempts)('an unknown share code from %s is counted, and logged nowhere', async (_, path, attempt) => {
  runAs(path);
  await attempt();
  expect(embeddedMetrics()).toEqual([refused]);
  expect(written.join('')).not.toContain(guess);
});

test('other refusals are not counted', async () => {
  runAs('Realtime/WebSocket/Connect');
  store.on(GetCommand, { TableName: 'shares' }).resolves({ Item: shareItem() });
  await connectWith({ shareCode: '' });
  await call(getShare, { scopes: ['share:read'], path: { shareCode: id('share', rival) } });
  expect(logLines()).toMatchObject([{ reason: 'unauthorized' }, { reason: 'forbidden' }]);
  expect(embeddedMetrics()).toEqual([]);
});

test('no other function counts them', () => {
  const counting = Object.entries(ownFunctions(stack)).filter(
    ([, lambda]) => 'COUNTED_REASON' in environmentOf(lambda),
  );
  const paths = counting.map(([path]) => path.replace(/\/Function$/, ''));
  expect(paths.sort()).toEqual([...new Set(attempts.map(([, path]) => path))].sort());
});

test('the alarm fires at 100 within five minutes, over all functions', () => {
  expect(stack.byPath('AWS::CloudWatch::Alarm')['Observability/Alarms/ShareCodesRefused']?.Properties).toMatchObject({
    Namespace: refused.namespace,
    MetricName: refused.name,
    Dimensions: [{ Name: 'reason', Value: 'share_not_found' }],
    Statistic: 'Sum',
    Period: 300,
    Threshold: 100,
  });
});
