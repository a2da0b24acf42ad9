import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { newId } from '../../data/store/new-id';
import { organisationOf } from '../../domain/id';
import { clients } from '../api/client';
import { fleetOf } from '../api/given';
import { say } from './platform';
import { report } from './report';
import { follow } from './socket';
import { until } from './until';

const [partner] = clients('platform-fleet');
const organisation = organisationOf('group', fleetOf(partner).deviceGroupId) ?? '';
const [deviceGroupId, deviceId, last] = [
  newId('group', organisation),
  newId('device', organisation),
  newId('device', organisation),
];

/** So many minutes ago: each event has its own time, as on a platform that has been used for a while. */
const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000);
const group = { deviceGroupId, name: 'Harbour', description: 'East mole' };
const device = (name: string) => ({ deviceId, deviceGroupId, name });

/** The names of the devices of the group, or undefined when there is no such group. */
async function harbour(): Promise<string[] | undefined> {
  const { body } = await partner.call('GET /v3/resources');
  return body.resources.find((one) => one.deviceGroupId === deviceGroupId)?.devices.map(({ name }) => name);
}

/** Waits until the group holds these. */
const becomes = (...names: string[]) =>
  until(`${names.join(', ')} in the harbour`, async () => {
    await pause(100);
    return isDeepStrictEqual(await harbour(), names) || undefined;
  });

/** What else was said before is heard when a device of its own, said last, has come and gone. */
async function allHeard(...names: string[]): Promise<void> {
  await say('device.registered', { deviceId: last, deviceGroupId, name: 'Last' }, ago(0));
  await becomes(...names, 'Last');
  await say('device.removed', { deviceId: last }, ago(0));
  await becomes(...names);
  expect(await harbour()).toEqual(names);
}

test('The fleet is as the platform says, and stays so when the bus says old things again in any order.', async () => {
  const told = [
    () => say('device-group.registered', group, ago(60)),
    () => say('device.registered', device('Tern'), ago(50)),
    () => say('device.registered', device('Arctic tern'), ago(40)),
  ];
  for (const one of told) await one();
  await becomes('Arctic tern');

  await Promise.all(told.map((one) => one()));
  await allHeard('Arctic tern');

  await say('device.removed', { deviceId }, ago(30));
  await becomes();
  await Promise.all(told.map((one) => one()));
  await allHeard();

  await say('device.registered', device('Tern is back'), ago(20));
  await becomes('Tern is back');
  await say('device.removed', { deviceId }, ago(30));
  await allHeard('Tern is back');
});

test('A device that was removed and is back is heard of by who has followed its group since before.', async () => {
  const back = newId('device', organisation);
  const named = { deviceId: back, deviceGroupId, name: 'Skua' };
  await say('device.registered', named, ago(9));
  await until('Skua in the harbour', async () => (await harbour())?.includes('Skua') || undefined);
  for (const second of [1, 2, 3]) await report(back, { timestamp: `2026-11-27T10:30:0${second}.000Z` });
  const socket = await follow(partner, { kind: 'group', id: deviceGroupId });
  await socket.like({ deviceId: back, status: 'online', snapshot: true });

  await say('device.removed', { deviceId: back }, ago(8));
  const gone = await socket.like({ deviceId: back, deleted: true });
  await say('device.registered', named, ago(7));
  const registered = await socket.like({ deviceId: back, status: 'offline', deleted: undefined });
  await report(back, { timestamp: '2026-11-27T10:40:00.000Z' });
  const online = await socket.like({ deviceId: back, timestamp: '2026-11-27T10:40:00.000Z' });
  const sequences = [gone, registered, online].map(({ sequence }) => sequence ?? 0);
  expect(sequences).toEqual(sequences.toSorted((one, other) => one - other));
  expect(new Set(sequences).size).toBe(3);
});
