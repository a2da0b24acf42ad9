import { clients } from '../client';
import { fleetOf, givenShare, iso } from '../given';

const [partner] = clients('get-share');

describe.each(['GET /v3/shares/{shareCode}', 'GET /v3/streams/share/{shareCode}'] as const)('%s', (key) => {
  const get = (shareCode: string) => partner.call(key, { path: { shareCode } });

  test('answers with every public field of the share', async () => {
    const { shareCode, shareUrl } = await givenShare(partner, { shareType: 'STREAM', maxViewers: 3 });
    const { status, body } = await get(shareCode);
    expect(status).toBe(200);
    expect(body).toEqual({
      success: true,
      share: {
        shareCode,
        shareUrl,
        links: { mqttTopic: `${shareCode}/SHARE/STATUS`, webSocketPath: `/v3/shares/${shareCode}/status/ws` },
        resourceId: fleetOf(partner).deviceId,
        shareType: 'STREAM',
        permissions: ['view'],
        expiresAt: iso,
        maxViewers: 3,
        createdAt: iso,
      },
    });
  });
});
