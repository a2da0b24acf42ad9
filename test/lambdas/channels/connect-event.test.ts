import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import '../fixtures/issuer';
import { ORIGIN_VERIFY } from '../../../contract/channels/origin-verify';
import { handler } from '../../../lambdas/channels/connect.lambda';
import { id } from '../../domain/fixtures/samples';
import { snapshotRequests } from '../../data/fixtures/snapshot-function';
import { sent, store } from '../../data/fixtures/store';
import { written } from '../fixtures/log';
import { throughCloudFront } from '../fixtures/origin';
import { shareItem } from '../fixtures/telemetry';

const secret = throughCloudFront[ORIGIN_VERIFY];
const handshake = async (headers: Record<string, string>) => {
  const { statusCode } = await handler({
    headers,
    queryStringParameters: { channel: 'telemetry', shareCode: id('share') },
    requestContext: { connectionId: 'socket', requestId: 'request-1' },
  } as never);
  return statusCode;
};

beforeEach(() => {
  store.resolves({});
  store.on(GetCommand, { TableName: 'shares' }).resolves({ Item: shareItem() });
  store.on(UpdateCommand, { TableName: 'requests' }).resolves({ Attributes: { calls: 1 } });
});

describe('A handshake at the WebSocket API’s own address, bypassing CloudFront and its web ACL', () => {
  test.each([
    ['without the header that CloudFront adds', {}],
    ['with an empty header', { [ORIGIN_VERIFY]: '' }],
    ['with a guess', { [ORIGIN_VERIFY]: `${secret.slice(0, -1)}x` }],
    ['with more than the secret', { [ORIGIN_VERIFY]: `${secret},${secret}` }],
  ])('is refused %s, without a read', async (_, headers: Record<string, string>) => {
    expect(await handshake(headers)).toBe(403);
    expect(sent()).toEqual([]);
  });

  test('is accepted with the secret, whatever the case of the header name', async () => {
    expect(await handshake({ 'X-Origin-Verify': secret })).toBe(200);
    expect(snapshotRequests()).toMatchObject([{ kind: 'viewer', connectionId: 'socket' }]);
  });

  test('leaves no secret in the log', async () => {
    await handshake({ [ORIGIN_VERIFY]: secret });
    await handshake({ [ORIGIN_VERIFY]: 'another-guess' });
    expect(written.join('')).toContain('forbidden');
    expect(written.join('')).not.toContain(secret);
    expect(written.join('')).not.toContain('another-guess');
  });

  test('fails with 500 while the function has no secret', async () => {
    delete process.env['ORIGIN_SECRET'];
    expect(await handshake({})).toBe(500);
    process.env['ORIGIN_SECRET'] = secret;
    expect(written.join('')).toContain('ORIGIN_SECRET is not set');
  });
});
