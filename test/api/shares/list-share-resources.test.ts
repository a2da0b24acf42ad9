import { clients } from '../client';
import { fleetOf, givenShare } from '../given';

const [partner] = clients('list-share-resources');

const list = (shareCode: string) => partner.call('GET /v3/shares/{shareCode}/resources', { path: { shareCode } });

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

  test('sets the headers of the rate limit', async () => {
    const { shareCode } = await givenShare(partner);
    for (const answer of [await list(shareCode), await list('none')]) {
      expect(answer.headers.get('x-ratelimit-limit')).toBe('120');
      expect(Number(answer.headers.get('x-ratelimit-remaining'))).toBeLessThan(120);
      expect(Number(answer.headers.get('x-ratelimit-reset')) % 60).toBe(0);
    }
  });
});
