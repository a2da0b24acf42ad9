import { clients } from '../client';
import { expire } from '../expire';
import { foreignAt, givenShare, nobodys } from '../given';

const [partner] = clients('revoke-share');
const [stranger] = clients('stranger');

describe.each(['DELETE /v3/shares/{shareCode}', 'DELETE /v3/streams/share/{shareCode}'] as const)('%s', (key) => {
  const revoke = (shareCode: string, client = partner) => client.call(key, { path: { shareCode } });
  const notFound = { status: 404, body: { error: 'Share not found' } };

  test('revokes the share for every endpoint', async () => {
    const { shareCode } = await givenShare(partner);
    const { status, body } = await revoke(shareCode);
    expect([status, body]).toEqual([200, { success: true, message: 'Share revoked successfully' }]);
    const path = { shareCode };
    expect(await partner.call('GET /v3/shares/{shareCode}', { path })).toMatchObject(notFound);
    expect(await partner.call('GET /v3/streams/share/{shareCode}', { path })).toMatchObject(notFound);
    expect(await partner.call('GET /v3/shares/{shareCode}/resources', { path })).toMatchObject(notFound);
    const { body: list } = await partner.call('GET /v3/shares');
    expect(list.shares.map((share) => share.shareCode)).not.toContain(shareCode);
  });

  test('answers 404 for a revoked, expired or unknown share', async () => {
    const [revoked, expired] = [await givenShare(partner), await givenShare(partner)];
    await revoke(revoked.shareCode);
    await expire(expired.shareCode);
    for (const gone of [revoked.shareCode, expired.shareCode, 'none', nobodys(expired.shareCode)]) {
      const { status, body } = await revoke(gone);
      expect([status, body]).toEqual([404, { error: 'Share not found' }]);
    }
  });

  test('succeeds for one of ten concurrent requests', async () => {
    const { shareCode } = await givenShare(partner);
    const statuses = (await Promise.all(Array.from({ length: 10 }, () => revoke(shareCode)))).map(
      ({ status }) => status,
    );
    expect(statuses.sort()).toEqual([200, ...Array<number>(9).fill(404)]);
  });

  test("answers 403 for another organisation's share, which is not revoked", async () => {
    const { shareCode } = await givenShare(partner);
    const { status, body } = await revoke(shareCode, stranger);
    expect([status, body]).toEqual([403, foreignAt('shareCode')]);
    expect((await partner.call('GET /v3/shares/{shareCode}', { path: { shareCode } })).status).toBe(200);
  });

  test("answers 404 for another organisation's expired share", async () => {
    const { shareCode } = await givenShare(partner);
    await expire(shareCode);
    expect(await revoke(shareCode, stranger)).toMatchObject(notFound);
  });
});
