import { clients } from './client';
import { fleetOf, givenShare, invalidAt, expire } from './given';
import { iso } from './iso';
import { streamOf } from './stack/aws-access';

describe('POST /v3/streams/share', () => {
  const [partner, second = partner, third = partner] = clients('shares');
  const { deviceId: resourceId, deviceGroupId } = fleetOf(partner);

  const create = (fields: object, client = second) =>
    client.call('POST /v3/streams/share', { body: { resourceId, shareType: 'DEVICE_STATUS', ...fields } });

  const read = async (shareCode: string) =>
    (await partner.call('GET /v3/shares/{shareCode}', { path: { shareCode } })).body.share;

  const lifetime = ({ createdAt, expiresAt }: { createdAt: string; expiresAt: string }) =>
    (Date.parse(expiresAt) - Date.parse(createdAt)) / 1000;

  test('answers 201 with the link', async () => {
    const { status, body } = await create({});
    expect(status).toBe(201);
    const { shareCode } = body.share;
    const shareUrl = expect.stringMatching(new RegExp(`^https?://[^/]+.*/share/${shareCode}$`)) as string;
    const links = { mqttTopic: `${shareCode}/SHARE/STATUS`, webSocketPath: `/v3/shares/${shareCode}/status/ws` };
    expect(body).toEqual({ success: true, share: { shareCode, shareUrl, expiresAt: iso, maxViewers: 10, links } });
  });

  test('permits viewing for an hour by ten viewers by default', async () => {
    const share = await read((await givenShare(partner)).shareCode);
    expect(share).toMatchObject({ permissions: ['view'], maxViewers: 10, shareType: 'DEVICE_STATUS', resourceId });
    expect(lifetime(share)).toBe(3600);
  });

  test('assigns each share a code with the tag of the organisation and 26 random characters', async () => {
    const [, tag] = partner.credentials.organisationId.split('-');
    const codes = await Promise.all(Array.from({ length: 5 }, async () => (await givenShare(partner)).shareCode));
    const secrets = codes.map((code) => new RegExp(`^share-${tag}-[0-9a-z]{10}([0-9a-z]{26})$`).exec(code)?.[1]);
    expect(new Set(secrets).size).toBe(5);
    expect(secrets).not.toContain(undefined);
  });

  test.each<[string, object, object]>([
    ['a stream of live video', { shareType: 'STREAM' }, { shareType: 'STREAM' }],
    ['control', { permissions: ['control'] }, { permissions: ['control'] }],
    ['both permissions, each once', { permissions: ['control', 'view', 'view'] }, { permissions: ['view', 'control'] }],
    ['one viewer', { maxViewers: 1 }, { maxViewers: 1 }],
    ['1000 viewers', { maxViewers: 1000 }, { maxViewers: 1000 }],
  ])('accepts %s', async (_, fields, kept) => {
    expect(await read((await givenShare(partner, fields)).shareCode)).toMatchObject(kept);
  });

  test.each([60, 86_400])('expires after %d s on request', async (expiresIn) => {
    expect(lifetime(await read((await givenShare(partner, { expiresIn })).shareCode))).toBe(expiresIn);
  });

  test('accepts metadata, which no answer contains', async () => {
    const { shareCode } = await givenShare(partner, { metadata: { ticket: 'T-1' } });
    expect(await read(shareCode)).not.toHaveProperty('metadata');
  });

  test("accepts a device's stream as the resource", async () => {
    const streamId = await streamOf(partner.credentials.organisationId, resourceId);
    const { shareCode } = await givenShare(partner, { resourceId: streamId, shareType: 'STREAM' });
    expect(await read(shareCode)).toMatchObject({ resourceId: streamId });
    const { body } = await partner.call('GET /v3/shares/{shareCode}/resources', { path: { shareCode } });
    expect(body.resources).toMatchObject([{ deviceId: resourceId }]);
  });

  test.each<[string, string, unknown]>([
    ['a missing resource', 'resourceId', undefined],
    ['an empty resource', 'resourceId', ''],
    ['a resource that is a list', 'resourceId', [resourceId]],
    ['a missing type', 'shareType', undefined],
    ['a type in lower case', 'shareType', 'stream'],
    ['no permission at all', 'permissions', []],
    ['permissions as a string', 'permissions', 'view'],
    ['permissions that are null', 'permissions', null],
    ['59 seconds', 'expiresIn', 59],
    ['0 seconds', 'expiresIn', 0],
    ['more than a day', 'expiresIn', 86_401],
    ['half a second', 'expiresIn', 60.5],
    ['seconds as a string', 'expiresIn', '3600'],
    ['no viewer', 'maxViewers', 0],
    ['1001 viewers', 'maxViewers', 1001],
    ['half a viewer', 'maxViewers', 1.5],
    ['metadata that is a string', 'metadata', 'x'],
    ['metadata of more than 16 KiB', 'metadata', { note: 'x'.repeat(16_384) }],
  ])('answers 400 and names the field for %s', async (_, field, value) => {
    expect(await create({ [field]: value })).toMatchObject(invalidAt(field));
  });

  test('answers 400 that names an unknown permission, and unknown fields', async () => {
    expect(await create({ permissions: ['view', 'fly'] })).toMatchObject(
      invalidAt('permissions.1', 'must be one of view, control'),
    );
    const answer = await create({ expiresAt: 'x', password: 'y' });
    expect(answer).toMatchObject(invalidAt('expiresAt', 'unknown field; did you mean expiresIn?'));
    expect(answer).toMatchObject(invalidAt('password', 'unknown field'));
  });

  test('answers 404 for a device group, and says that a device of it can be shared', async () => {
    const { status, body } = await create({ resourceId: deviceGroupId }, third);
    const details = [{ path: 'resourceId', message: 'is a device group: share a device of it' }];
    expect([status, body]).toEqual([404, { error: 'Resource not found', details }]);
  });

  test('sets the headers of the rate limit', async () => {
    const { headers } = await create({}, third);
    expect(headers.get('x-ratelimit-limit')).toBe('30');
    expect(Number(headers.get('x-ratelimit-remaining'))).toBeLessThan(30);
    expect(Number(headers.get('x-ratelimit-reset')) % 60).toBe(0);
  });
});

describe.each(['GET /v3/shares/{shareCode}', 'GET /v3/streams/share/{shareCode}'] as const)('%s', (key) => {
  const [first, , , partner = first] = clients('shares');

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

describe('Lists of shares', () => {
  const makers = clients('list-shares');
  const [partner] = makers;
  const [stranger] = clients('stranger');

  /** 40 active shares and an expired one, created by two clients so that none reaches its rate limit. */
  let standing: string[];
  let expired: string;
  beforeAll(async () => {
    const make = makers.flatMap((client) =>
      Array.from(
        { length: 20 },
        async () => (await givenShare(client, { permissions: ['view', 'control'] })).shareCode,
      ),
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
});

describe('GET /v3/shares/{shareCode}/resources', () => {
  const [first, , , partner = first] = clients('shares');

  const list = (shareCode: string) => partner.call('GET /v3/shares/{shareCode}/resources', { path: { shareCode } });

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

describe.each(['DELETE /v3/shares/{shareCode}', 'DELETE /v3/streams/share/{shareCode}'] as const)('%s', (key) => {
  const [first, , , partner = first] = clients('shares');

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
