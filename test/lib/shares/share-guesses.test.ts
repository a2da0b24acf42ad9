import { DeleteCommand, GetCommand, UpdateCommand } from '../../../data/store/document-client';
import '../without-code';
import '../../lambdas/fixtures/issuer';
import { shareProtocols } from '../../../contract/telemetry';
import { endpointTable } from '../../../contract/access';
import { handler as getShare } from '../../../lambdas/http/shares/get-share';
import { handler as listShareResources } from '../../../lambdas/http/shares/list-share-resources';
import { handler as revokeShare } from '../../../lambdas/http/shares/revoke-share';
import { handler as connect } from '../../../lambdas/socket/connect';
import '../../data/fixtures/greeter';
import { conditionFailed, store } from '../../data/fixtures/store';
import { acme, id, rival } from '../../domain/fixtures/samples';
import { call } from '../../lambdas/fixtures/api-gateway';
import { logLines, written } from '../../lambdas/fixtures/log';
import { throughCloudFront } from '../../lambdas/fixtures/origin';
import { shareItem } from '../../lambdas/fixtures/telemetry';
import { counted, filtersOn } from '../observability/filter-pattern';
import { synthesise } from '../synthesised';

const ofShares = Object.entries(endpointTable).filter(([key]) => key.includes('/shares'));
const stack = synthesise({}, Object.fromEntries(ofShares));

const guess = id('share', acme, 'kx9mhush7q2v5w8y1z3a4b6c');
const open = (query: Record<string, string>, headers: Record<string, string> = {}) =>
  connect({
    headers: { ...throughCloudFront, ...headers },
    queryStringParameters: { channel: 'telemetry', shareCode: guess, ...query },
    requestContext: { connectionId: 'socket', requestId: 'request-1' },
  } as never);
const ask = (handler: unknown) => call(handler, { scopes: ['share:read', 'share:manage'], path: { shareCode: guess } });

const tries: [what: string, place: string, make: () => Promise<unknown>][] = [
  ['a viewer', 'StatusChannels/Sockets/Connect', () => open({})],
  [
    'a page, which is let in to be told,',
    'StatusChannels/Sockets/Connect',
    () => open({}, { 'Sec-WebSocket-Protocol': Object.values(shareProtocols).join() }),
  ],
  ['a partner who asks for what is behind it', 'Endpoints/list-share-resources', () => ask(listShareResources)],
  ['a partner who asks for it', 'Endpoints/get-share', () => ask(getShare)],
  ['a partner who revokes it', 'Endpoints/revoke-share', () => ask(revokeShare)],
];

/** What the filters on a function's log count of what has been logged: name of the metric and dimensions. */
const countedOf = (place: string) =>
  logLines().flatMap((line) =>
    filtersOn(stack, place).flatMap((filter) => {
      const values = counted(filter, line);
      return values ? [[filter.metric, ...values].join(' ')] : [];
    }),
  );

beforeEach(() => {
  process.env['SHARE_BASE_URL'] = 'https://share.test';
  store.resolves({});
  store.on(DeleteCommand).rejects(conditionFailed());
  store.on(UpdateCommand, { TableName: 'requests' }).resolves({ Attributes: { calls: 1 } });
});

test.each(tries)('A share code that there is not, tried by %s is counted, and in no log', async (_, place, make) => {
  await make();
  expect(countedOf(place)).toEqual(['ShareCodesRefused share_not_found']);
  expect(written.join('')).not.toContain(guess);
});

test('What else is refused is not counted', async () => {
  store.on(GetCommand, { TableName: 'shares' }).resolves({ Item: shareItem() });
  await open({ shareCode: '' });
  await call(getShare, { scopes: ['share:read'], path: { shareCode: id('share', rival) } });
  expect(logLines()).toMatchObject([{ reason: 'unauthorized' }, { reason: 'forbidden' }]);
  for (const [, place] of tries) expect(countedOf(place)).toEqual([]);
});

test('Every function that share codes are sent to is looked at', () => {
  const filters = Object.keys(stack.byPath('AWS::Logs::MetricFilter')).filter((path) =>
    path.startsWith('ShareGuesses'),
  );
  expect(filters).toHaveLength(new Set(tries.map(([, place]) => place)).size);
});

test('The alarm fires at a hundred within five minutes, over all of them', () => {
  expect(stack.byPath('AWS::CloudWatch::Alarm')['Alarms/ShareCodesRefused']?.Properties).toMatchObject({
    Namespace: 'DroneMissionApi',
    MetricName: 'ShareCodesRefused',
    Dimensions: [{ Name: 'reason', Value: 'share_not_found' }],
    Statistic: 'Sum',
    Period: 300,
    Threshold: 100,
  });
  for (const { Properties } of Object.values(stack.byPath('AWS::Logs::MetricFilter'))) {
    expect(Properties['MetricTransformations']).toMatchObject([
      { MetricNamespace: 'DroneMissionApi', MetricValue: '1' },
    ]);
  }
});
