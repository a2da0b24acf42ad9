import { clients } from '../client';
import { expire } from '../expire';
import { fleetOf, foreignAt, givenShare, nobodys } from '../given';

const [partner] = clients('list-share-resources');
const [stranger] = clients('stranger');

const list = (shareCode: string, client = partner) =>
  client.call('GET /v3/shares/{shareCode}/resources', { path: { shareCode } });

describe('GET /v3/shares/{shareCode}/resources', () => {
  test('answers with the device of the share', async () => {
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

  test('answers 404 for an unknown or expired share', async () => {
    const { shareCode } = await givenShare(partner);
    await expire(shareCode);
    for (const gone of ['none', nobodys(shareCode), shareCode]) {
      const { status, body } = await list(gone);
      expect([status, body]).toEqual([404, { error: 'Share not found' }]);
    }
  });

  test("answers 403 for another organisation's share", async () => {
    const { shareCode } = await givenShare(partner);
    const { status, body } = await list(shareCode, stranger);
    expect([status, body]).toEqual([403, foreignAt('shareCode')]);
  });

  test('sets the headers of the rate limit', async () => {
    const { shareCode } = await givenShare(partner);
    for (const answer of [await list(shareCode), await list('none')]) {
      expect(answer.headers.get('x-ratelimit-limit')).toBe('120');
      expect(Number(answer.headers.get('x-ratelimit-remaining'))).toBeLessThan(120);
      expect(Number(answer.headers.get('x-ratelimit-reset')) % 60).toBe(0);
    }
  });
});
