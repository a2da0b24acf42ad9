import { clients } from '../client';
import { expire } from '../expire';
import { fleetOf, givenShare, nobodys } from '../given';

const [partner] = clients('list-share-resources');
const [stranger] = clients('stranger');

const list = (shareCode: string, client = partner) =>
  client.call('GET /v3/shares/{shareCode}/resources', { path: { shareCode } });

describe('GET /v3/shares/{shareCode}/resources', () => {
  it('gives the device that stands behind the share', async () => {
    const { shareCode } = await givenShare(partner);
    const { status, body } = await list(shareCode);
    const { deviceId, deviceGroupId } = fleetOf(partner);
    expect(status).toBe(200);
    expect(body).toEqual({
      success: true,
      resources: [
        { deviceId, deviceGroupId, name: 'North 1', status: expect.stringMatching(/^(on|off)line$/) as string },
      ],
      count: 1,
    });
  });

  it('answers 404 to a share that there is not or that has expired', async () => {
    const { shareCode } = await givenShare(partner);
    await expire(shareCode);
    for (const gone of ['none', nobodys(shareCode), shareCode]) {
      const { status, body } = await list(gone);
      expect([status, body]).toEqual([404, { error: 'Share not found' }]);
    }
  });

  it("answers 403 to another organisation's share", async () => {
    const { shareCode } = await givenShare(partner);
    const { status, body } = await list(shareCode, stranger);
    expect([status, body]).toEqual([403, { error: 'Forbidden' }]);
  });

  it('says in its headers how much of the limit is left', async () => {
    const { shareCode } = await givenShare(partner);
    for (const answer of [await list(shareCode), await list('none')]) {
      expect(answer.headers.get('x-ratelimit-limit')).toBe('120');
      expect(Number(answer.headers.get('x-ratelimit-remaining'))).toBeLessThan(120);
      expect(Number(answer.headers.get('x-ratelimit-reset')) % 60).toBe(0);
    }
  });
});
