import { GetCommand, UpdateCommand } from '../../../data/store/document-client';
import '../fixtures/issuer';
import { ORIGIN_VERIFY } from '../../../contract/origin-verify';
import { handler } from '../../../lambdas/socket/connect';
import { id } from '../../domain/fixtures/samples';
import { askedFor } from '../../data/fixtures/greeter';
import { sent, store } from '../../data/fixtures/store';
import { written } from '../fixtures/log';
import { throughCloudFront } from '../fixtures/origin';
import { shareItem } from '../fixtures/telemetry';

const secret = throughCloudFront[ORIGIN_VERIFY];
const shakeHands = async (headers: Record<string, string>) => {
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

describe('A handshake at the WebSocket API’s own address, past CloudFront and its web ACL', () => {
  test.each([
    ['without the header that CloudFront adds', {}],
    ['with a header that is empty', { [ORIGIN_VERIFY]: '' }],
    ['with a guess', { [ORIGIN_VERIFY]: `${secret.slice(0, -1)}x` }],
    ['with more than the secret', { [ORIGIN_VERIFY]: `${secret},${secret}` }],
  ])('is refused %s, and costs not even a read.', async (_, headers: Record<string, string>) => {
    expect(await shakeHands(headers)).toBe(403);
    expect(sent()).toEqual([]);
  });

  test('is let in with it, however its name is written.', async () => {
    expect(await shakeHands({ 'X-Origin-Verify': secret })).toBe(200);
    expect(askedFor()).toMatchObject([{ kind: 'viewer', connectionId: 'socket' }]);
  });

  test('leaves what it brought in no log.', async () => {
    await shakeHands({ [ORIGIN_VERIFY]: secret });
    await shakeHands({ [ORIGIN_VERIFY]: 'another-guess' });
    expect(written.join('')).toContain('forbidden');
    expect(written.join('')).not.toContain(secret);
    expect(written.join('')).not.toContain('another-guess');
  });

  test('is an error as long as the function has not been told the secret, and nobody is let in.', async () => {
    delete process.env['ORIGIN_SECRET'];
    expect(await shakeHands({})).toBe(500);
    process.env['ORIGIN_SECRET'] = secret;
    expect(written.join('')).toContain('ORIGIN_SECRET is not set');
  });
});
