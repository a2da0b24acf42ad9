import { clients } from '../client';
import { expire } from '../expire';
import { fleetOf, foreignAt, givenShare, iso, nobodys } from '../given';

const [partner] = clients('get-share');
const [stranger] = clients('stranger');

describe.each(['GET /v3/shares/{shareCode}', 'GET /v3/streams/share/{shareCode}'] as const)('%s', (key) => {
  const get = (shareCode: string, client = partner) => client.call(key, { path: { shareCode } });
  const notFound = { status: 404, body: { error: 'Share not found' } };

  test('answers with every public field of the share', async () => {
    const { shareCode, shareUrl } = await givenShare(partner, { shareType: 'STREAM', maxViewers: 3 });
    const { status, body } = await get(shareCode);
    expect(status).toBe(200);
    expect(body).toEqual({
      success: true,
      share: {
        shareCode,
        shareUrl,
        resourceId: fleetOf(partner).deviceId,
        shareType: 'STREAM',
        permissions: ['view'],
        expiresAt: iso,
        maxViewers: 3,
        createdAt: iso,
      },
    });
  });

  test('answers 404 for an unknown share', async () => {
    const { shareCode } = await givenShare(partner);
    for (const unknown of ['none', nobodys(shareCode), shareCode.toUpperCase(), fleetOf(partner).deviceId]) {
      const { status, body } = await get(unknown);
      expect([status, body]).toEqual([404, { error: 'Share not found' }]);
    }
  });

  test("answers 403 for another organisation's share", async () => {
    const { shareCode } = await givenShare(partner);
    const { status, body } = await get(shareCode, stranger);
    expect([status, body]).toEqual([403, foreignAt('shareCode')]);
  });

  test('answers 404 for an expired share, to its own organisation and to others', async () => {
    const { shareCode } = await givenShare(partner);
    await expire(shareCode);
    expect(await get(shareCode)).toMatchObject(notFound);
    expect(await get(shareCode, stranger)).toMatchObject(notFound);
  });
});
