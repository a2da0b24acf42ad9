import { clients } from '../client';
import { expire } from '../expire';
import { fleetOf, givenShare, iso, nobodys } from '../given';

const [partner] = clients('get-share');
const [stranger] = clients('stranger');

describe.each(['GET /v3/shares/{shareCode}', 'GET /v3/streams/share/{shareCode}'] as const)('%s', (key) => {
  const get = (shareCode: string, client = partner) => client.call(key, { path: { shareCode } });
  const notFound = { status: 404, body: { error: 'Share not found' } };

  it('gives every field that is told of the share', async () => {
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

  it('answers 404 to a share that there is not', async () => {
    const { shareCode } = await givenShare(partner);
    for (const unknown of ['none', nobodys(shareCode), shareCode.toUpperCase(), fleetOf(partner).deviceId]) {
      const { status, body } = await get(unknown);
      expect([status, body]).toEqual([404, { error: 'Share not found' }]);
    }
  });

  it("answers 403 to another organisation's share", async () => {
    const { shareCode } = await givenShare(partner);
    const { status, body } = await get(shareCode, stranger);
    expect([status, body]).toEqual([403, { error: 'Forbidden' }]);
  });

  it('answers 404 to a share that has expired, to its own organisation as to others', async () => {
    const { shareCode } = await givenShare(partner);
    await expire(shareCode);
    expect(await get(shareCode)).toMatchObject(notFound);
    expect(await get(shareCode, stranger)).toMatchObject(notFound);
  });
});
