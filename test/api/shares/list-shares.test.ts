import { clients } from '../client';
import { expire } from '../expire';
import { fleetOf, givenShare, invalidAt, iso } from '../given';

const makers = clients('list-shares');
const [partner] = makers;
const [stranger] = clients('stranger');

/** 40 active shares and an expired one, created by two clients so that none reaches its rate limit. */
let standing: string[];
let expired: string;
beforeAll(async () => {
  const make = makers.flatMap((client) =>
    Array.from({ length: 20 }, async () => (await givenShare(client, { permissions: ['view', 'control'] })).shareCode),
  );
  standing = await Promise.all(make);
  expired = (await givenShare(partner)).shareCode;
  await expire(expired);
});

describe.each(['GET /v3/shares', 'GET /v3/streams/share'] as const)('%s', (key) => {
  const list = (query: Record<string, string> = {}) => partner.call(key, { query });

  async function pagesOf(query: Record<string, string>) {
    const pages = [await list(query)];
    for (let token = pages[0]?.body.nextToken; token; token = pages.at(-1)?.body.nextToken)
      pages.push(await list({ ...query, nextToken: token }));
    return pages.map(({ body }) => body.shares);
  }

  test('lists the active shares, each with every public field', async () => {
    const { status, body } = await list();
    expect([status, body.success, body.count]).toEqual([200, true, 40]);
    expect(Object.keys(body).sort()).toEqual(['count', 'shares', 'success']);
    const [, tag] = partner.credentials.organisationId.split('-');
    const share = {
      shareCode: expect.stringMatching(`^share-${tag}-`) as string,
      shareUrl: expect.stringContaining(`/share/share-${tag}-`) as string,
      links: {
        mqttTopic: expect.stringMatching(`^share-${tag}-.*/SHARE/STATUS$`) as string,
        webSocketPath: expect.stringMatching(`^/v3/shares/share-${tag}-.*/status/ws$`) as string,
      },
      resourceId: fleetOf(partner).deviceId,
      shareType: 'DEVICE_STATUS',
      permissions: ['view', 'control'],
      expiresAt: iso,
      maxViewers: 10,
      currentViewers: 0,
      createdAt: iso,
    };
    expect(body.shares).toEqual(body.shares.map(() => share));
  });

  test('lists every active share once, newest first, over all pages', async () => {
    const shares = (await pagesOf({ limit: '15' })).flat();
    expect(shares.map(({ shareCode }) => shareCode).sort()).toEqual([...standing].sort());
    const moments = shares.map(({ createdAt }) => createdAt);
    expect(moments).toEqual([...moments].sort().reverse());
  });

  test.each(['0', '-1', 'abc'])('answers 400 to a limit of %s', async (limit) => {
    expect(await list({ limit })).toMatchObject(invalidAt('limit'));
  });

  test('answers 400 for an unknown parameter and for a page token of another list', async () => {
    expect(await list({ status: 'ACTIVE' })).toMatchObject(
      invalidAt('status', 'unknown parameter (known: limit, nextToken)'),
    );
    const token = (await list({ limit: '1' })).body.nextToken ?? '';
    expect(token).not.toBe('');
    for (const bent of [token.slice(0, -4), 'abc', ''])
      expect(await list({ nextToken: bent })).toMatchObject(invalidAt('nextToken'));
    const query = { nextToken: token };
    expect(await partner.call('GET /v3/jobs', { query })).toMatchObject(invalidAt('nextToken'));
    expect(await stranger.call(key, { query })).toMatchObject(invalidAt('nextToken'));
  });

  test('lists no share of another organisation', async () => {
    const { shareCode } = await givenShare(stranger);
    expect((await pagesOf({ limit: '100' })).flat().map((share) => share.shareCode)).not.toContain(shareCode);
  });
});
