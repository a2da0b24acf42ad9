import { clients } from '../client';
import { fleetOf, givenShare, invalidAt, iso } from '../given';
import { streamOf } from '../stack/aws-access';

const [partner, second = partner, third = partner] = clients('create-share');
const { deviceId: resourceId, deviceGroupId } = fleetOf(partner);

const create = (fields: object, client = second) =>
  client.call('POST /v3/streams/share', { body: { resourceId, shareType: 'DEVICE_STATUS', ...fields } });

const read = async (shareCode: string) =>
  (await partner.call('GET /v3/shares/{shareCode}', { path: { shareCode } })).body.share;

const lifetime = ({ createdAt, expiresAt }: { createdAt: string; expiresAt: string }) =>
  (Date.parse(expiresAt) - Date.parse(createdAt)) / 1000;

describe('POST /v3/streams/share', () => {
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
