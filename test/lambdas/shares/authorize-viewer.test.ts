import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { handler } from '../../../lambdas/shares/authorize-viewer.lambda';
import { broadcastTopicOf, viewerClientId } from '../../../data/shares/share-id';
import { store } from '../../data/fixtures/store';
import { acme } from '../../domain/fixtures/samples';
import { logLines, written } from '../fixtures/log';

const iot = 'arn:aws:iot:eu-central-1:123456789012';
process.env['IOT_ARN'] = iot;

const shareCode = `share-${acme}-01kb1x5q2d8Zt4Gm1cVw9Rk3Hs7PbXeL`;
const connectionId = 'L0SM9cOFvHcCIhw=';
const topic = broadcastTopicOf(shareCode);
const refused = { isAuthenticated: false };
const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;
const later = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();

const share = {
  shareCode,
  resourceId: 'device-a',
  deviceId: 'device-a',
  shareType: 'DEVICE_STATUS',
  permissions: ['view'],
  maxViewers: 100,
  currentViewers: 1,
  version: 1,
  createdAt: later(-60),
  organisation: acme,
};
const session = {
  kind: 'viewer',
  channel: `session#${connectionId}`,
  connectionId,
  organisation: acme,
  shareCode,
  shareType: 'DEVICE_STATUS',
  resourceId: 'device-a',
  deviceId: 'device-a',
  permissions: ['view'],
};

/** What the two tables hold. */
function given(viewer: object | undefined, shared: object | undefined): void {
  store.on(GetCommand).callsFake(({ Key }: { Key: object }) => ({ Item: 'connectionId' in Key ? viewer : shared }));
}
beforeEach(() =>
  given(
    { ...session, openedAt: inSeconds(-5), expiresAt: inSeconds(3000), broadcast: topic },
    { ...share, expiresAt: later(3000) },
  ),
);

const connect = ({ username = connectionId, password = shareCode, clientId = viewerClientId(connectionId) } = {}) =>
  handler({
    protocolData: { mqtt: { username, password: Buffer.from(password).toString('base64'), clientId } },
  });

describe('A viewer with an open socket', () => {
  test('may connect with its client id and read the topic of its share, and nothing else', async () => {
    const answer = await connect();
    if (!('policyDocuments' in answer)) throw new Error('the viewer was refused');
    const [text = ''] = answer.policyDocuments;
    expect((JSON.parse(text) as { Statement: unknown }).Statement).toEqual([
      {
        Effect: 'Allow',
        Action: 'iot:Connect',
        Resource: [`${iot}:client/${viewerClientId(connectionId)}`],
        Condition: { 'ForAllValues:StringEquals': { 'iot:ConnectAttributes': [] } },
      },
      { Effect: 'Allow', Action: 'iot:Subscribe', Resource: [`${iot}:topicfilter/${topic}`] },
      { Effect: 'Allow', Action: 'iot:Receive', Resource: [`${iot}:topic/${topic}`] },
    ]);
    expect(text).not.toContain(shareCode);
    expect(answer).toMatchObject({ isAuthenticated: true, refreshAfterInSeconds: 300 });
    expect(answer.disconnectAfterInSeconds).toBeLessThanOrEqual(3000);
  });

  test('is disconnected after five minutes at the earliest, which AWS IoT requires', async () => {
    given(
      { ...session, openedAt: inSeconds(-5), expiresAt: inSeconds(20), broadcast: topic },
      { ...share, expiresAt: later(20) },
    );
    expect(await connect()).toMatchObject({ disconnectAfterInSeconds: 300 });
  });

  test.each([
    ['with another code', { password: `share-${acme}-01kb1x5q2d8Zt4Gm1cVw9Rk3Hs7PbXeM` }],
    ['with no share code', { password: 'secret' }],
    ['with another client id', { clientId: viewerClientId('other') }],
  ])('is refused %s', async (_, change) => {
    if ('password' in change) given({ ...session, openedAt: 1, expiresAt: inSeconds(300) }, undefined);
    expect(await connect(change)).toEqual(refused);
  });

  test.each([
    ['the socket is gone', undefined, { ...share, expiresAt: later(3000) }],
    ['the share is gone', { ...session, openedAt: 1, expiresAt: inSeconds(300), broadcast: topic }, undefined],
    [
      'it gets samples over the socket',
      { ...session, openedAt: 1, expiresAt: inSeconds(300) },
      { ...share, expiresAt: later(3000) },
    ],
  ])('is refused when %s, without its code in the log', async (_, viewer, shared) => {
    given(viewer, shared);
    expect(await connect()).toEqual(refused);
    expect(logLines()).toMatchObject([{ message: 'viewer refused', reason: 'share_not_found' }]);
    expect(written.join('')).not.toContain(shareCode);
  });
});
