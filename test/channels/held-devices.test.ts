import { clients } from '../api/client';
import { fleetOf, givenShare } from '../api/given';
import { givenFlyingDevice } from './flying-device';
import { ask, watch } from './telemetry-socket';
import { until } from './until';

const [partner, colleague = partner] = clients('held-devices');
jest.setTimeout(60_000);

const key = '/v3/devices/{deviceId}/control';
const hold = (deviceId: string, client = partner) => client.call(`PUT ${key}`, { path: { deviceId } });
const release = (deviceId: string, client = partner) => client.call(`DELETE ${key}`, { path: { deviceId } });
const read = async (deviceId: string) => (await partner.call(`GET ${key}`, { path: { deviceId } })).body.control;
const command = async (deviceId: string, name: string, client = partner) =>
  (await client.call('POST /v3/devices/{deviceId}/commands', { path: { deviceId }, body: { name } })).status;
const givenDevice = () => givenFlyingDevice(fleetOf(partner).deviceGroupId);
const sharedWithAll = (deviceId: string) =>
  givenShare(partner, { resourceId: deviceId, permissions: ['view', 'control'] });
const told = (name: string) => ({ action: 'control', command: { name } });
const taken = { type: 'control.taken', until: expect.any(String) as string };

test('one client holds a device; others may only keep the drone from harm until it is given back', async () => {
  const deviceId = await givenDevice();
  const { status, body } = await hold(deviceId);
  expect([status, body.control.heldBy]).toEqual([200, partner.credentials.clientId]);
  const { until: end = '' } = body.control;
  const left = Date.parse(end) - Date.now();
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThanOrEqual(62_000);
  const refused = await hold(deviceId, colleague);
  expect([refused.status, refused.body]).toEqual([
    409,
    {
      error: 'held_by',
      details: [{ path: 'deviceId', message: `is held by ${partner.credentials.clientId} until ${end}` }],
    },
  ]);
  expect((await release(deviceId, colleague)).status).toBe(409);
  expect(await command(deviceId, 'TAKE_PHOTO', colleague)).toBe(409);
  expect(await command(deviceId, 'PAUSE', colleague)).toBe(202);
  expect(await command(deviceId, 'TAKE_PHOTO')).toBe(202);
  for (let times = 0; times < 2; times += 1) expect((await release(deviceId)).status).toBe(200);
  expect(await read(deviceId)).toEqual({ deviceId });
  expect(await command(deviceId, 'TAKE_PHOTO', colleague)).toBe(202);
});

test('of twenty calls at once of two clients one client holds the device', async () => {
  const deviceId = await givenDevice();
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) => hold(deviceId, index % 2 ? partner : colleague)),
  );
  const holders = answers.filter(({ status }) => status === 200).map(({ body }) => body.control.heldBy);
  expect(new Set(holders).size).toBe(1);
  expect(await read(deviceId)).toMatchObject({ heldBy: holders[0] });
  // Calls of the holder that met others of its own too often may be repeated.
  expect(answers.every(({ status }) => [200, 409, 429].includes(status))).toBe(true);
});

test('one viewer holds the drone; another one is refused, and the partner is not', async () => {
  const deviceId = await givenDevice();
  const { shareCode } = await sharedWithAll(deviceId);
  const [holder, other] = [await watch(shareCode), await watch(shareCode)];
  expect(await ask(holder, { action: 'takeControl' })).toEqual(taken);
  expect(await read(deviceId)).toMatchObject({
    origin: 'share',
    heldBy: expect.stringMatching(/^viewer-[0-9a-f]{12}$/) as string,
  });
  for (const action of [{ action: 'takeControl' }, { action: 'releaseControl' }, told('TAKE_PHOTO')])
    expect(await ask(other, action)).toMatchObject({ type: 'error', code: 'held_by' });
  expect(await ask(other, told('PAUSE'))).toMatchObject({ type: 'accepted' });
  expect(await ask(holder, told('RESUME'))).toMatchObject({ type: 'accepted' });
  expect(await command(deviceId, 'RESUME')).toBe(202);
  // The partner takes it, and the viewer hears that it was the partner, not which client.
  expect((await hold(deviceId)).status).toBe(200);
  const { details } = await ask(holder, told('RESUME'));
  expect(details).toEqual([
    { path: '', message: expect.stringMatching(/^the device is held by the partner until 2/) as string },
  ]);
  await release(deviceId);
  expect(await ask(other, { action: 'takeControl' })).toEqual(taken);
  expect(await ask(other, { action: 'releaseControl' })).toEqual({ type: 'control.released' });
  expect(await read(deviceId)).toEqual({ deviceId });
});

test('what a viewer holds ends with its socket', async () => {
  const deviceId = await givenDevice();
  const { shareCode } = await sharedWithAll(deviceId);
  const holder = await watch(shareCode);
  await ask(holder, { action: 'takeControl' });
  await holder.close();
  await until('the end of the lease', async () => ((await read(deviceId)).heldBy === undefined ? true : undefined));
});

test('what a viewer holds ends with its share', async () => {
  const deviceId = await givenDevice();
  const [one, two] = [await sharedWithAll(deviceId), await sharedWithAll(deviceId)];
  const [holder, other] = [await watch(one.shareCode), await watch(two.shareCode)];
  await ask(holder, { action: 'takeControl' });
  expect(await ask(other, told('TAKE_PHOTO'))).toMatchObject({ code: 'held_by' });
  await partner.call('DELETE /v3/shares/{shareCode}', { path: { shareCode: one.shareCode } });
  expect(await ask(other, told('TAKE_PHOTO'))).toMatchObject({ type: 'accepted' });
  expect(await read(deviceId)).toEqual({ deviceId });
});
