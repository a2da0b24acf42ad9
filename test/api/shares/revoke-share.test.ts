import { clients } from '../client';
import { givenShare } from '../given';

const [partner] = clients('revoke-share');

describe.each(['DELETE /v3/shares/{shareCode}', 'DELETE /v3/streams/share/{shareCode}'] as const)('%s', (key) => {
  const revoke = (shareCode: string) => partner.call(key, { path: { shareCode } });
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

  test('succeeds for one of ten concurrent requests', async () => {
    const { shareCode } = await givenShare(partner);
    const statuses = (await Promise.all(Array.from({ length: 10 }, () => revoke(shareCode)))).map(
      ({ status }) => status,
    );
    expect(statuses.sort()).toEqual([200, ...Array<number>(9).fill(404)]);
  });
});
