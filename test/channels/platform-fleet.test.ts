import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { newId } from '../../data/store/new-id';
import { organisationOf } from '../../domain/values/id';
import { clients } from '../api/client';
import { fleetOf, givenJob } from '../api/given';
import { publishPlatformEvent, listenAsPlatform } from './platform-bus';
import { report } from './device-reports';
import { follow } from './socket';
import { until } from './until';
import { outboundEvents } from '../../domain/platform/outbound-events';

const [partner] = clients('platform-fleet');
const organisation = organisationOf('group', fleetOf(partner).deviceGroupId) ?? '';
const [deviceGroupId, deviceId, last] = [
  newId('group', organisation),
  newId('device', organisation),
  newId('device', organisation),
];

/** Time some minutes ago: each event has its own time. */
const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000);
const group = { deviceGroupId, name: 'Harbour', description: 'East mole' };
const device = (name: string) => ({ deviceId, deviceGroupId, name });

/** Names of the devices of the group, or undefined if the group does not exist. */
async function harbour(): Promise<string[] | undefined> {
  const { body } = await partner.call('GET /v3/resources');
  return body.resources.find((one) => one.deviceGroupId === deviceGroupId)?.devices.map(({ name }) => name);
}

/** Waits until the group has exactly these devices. */
const becomes = (...names: string[]) =>
  until(`${names.join(', ')} in the harbour`, async () => {
    await pause(100);
    return isDeepStrictEqual(await harbour(), names) || undefined;
  });

/** Waits for earlier events by registering and removing another device. */
async function allProcessed(...names: string[]): Promise<void> {
  await publishPlatformEvent('device.registered', { deviceId: last, deviceGroupId, name: 'Last' }, ago(0));
  await becomes(...names, 'Last');
  await publishPlatformEvent('device.removed', { deviceId: last }, ago(0));
  await becomes(...names);
  expect(await harbour()).toEqual(names);
}

test('the fleet follows the platform’s events, and replayed old events in any order change nothing', async () => {
  const events = [
    () => publishPlatformEvent('device-group.registered', group, ago(60)),
    () => publishPlatformEvent('device.registered', device('Tern'), ago(50)),
    () => publishPlatformEvent('device.registered', device('Arctic tern'), ago(40)),
  ];
  for (const one of events) await one();
  await becomes('Arctic tern');

  await Promise.all(events.map((one) => one()));
  await allProcessed('Arctic tern');

  await publishPlatformEvent('device.removed', { deviceId }, ago(30));
  await becomes();
  await Promise.all(events.map((one) => one()));
  await allProcessed();

  await publishPlatformEvent('device.registered', device('Tern is back'), ago(20));
  await becomes('Tern is back');
  await publishPlatformEvent('device.removed', { deviceId }, ago(30));
  await allProcessed('Tern is back');
});

test('a follower of a group receives the removal and the return of a device', async () => {
  const back = newId('device', organisation);
  const named = { deviceId: back, deviceGroupId, name: 'Skua' };
  await publishPlatformEvent('device.registered', named, ago(9));
  await until('Skua in the harbour', async () => (await harbour())?.includes('Skua') || undefined);
  for (const second of [1, 2, 3]) await report(back, { timestamp: `2026-11-27T10:30:0${second}.000Z` });
  const socket = await follow(partner, { kind: 'group', id: deviceGroupId });
  await socket.like({ deviceId: back, status: 'online', snapshot: true });

  await publishPlatformEvent('device.removed', { deviceId: back }, ago(8));
  const removed = await socket.like({ deviceId: back, deleted: true });
  await publishPlatformEvent('device.registered', named, ago(7));
  const registered = await socket.like({ deviceId: back, status: 'offline', deleted: undefined });
  await report(back, { timestamp: '2026-11-27T10:40:00.000Z' });
  const online = await socket.like({ deviceId: back, timestamp: '2026-11-27T10:40:00.000Z' });
  const sequences = [removed, registered, online].map(({ sequence }) => sequence ?? 0);
  expect(sequences).toEqual(sequences.toSorted((one, other) => one - other));
  expect(new Set(sequences).size).toBe(3);
});

const receive = listenAsPlatform();

test('a rule of the platform receives the events of this service as they are documented', async () => {
  const { jobId } = await givenJob(partner);
  const event = await until(`an event of ${jobId}`, async () =>
    (await receive()).find(({ detail }) => detail['jobId'] === jobId),
  );
  expect(event).toMatchObject({ source: 'drone-mission-api', 'detail-type': 'job.created', detail: { version: 1 } });
  expect(outboundEvents['job.created'].parse(event.detail)).toEqual(event.detail);
});

test('docs/platform.md, "Listening", has these calls', () => {
  const page = readFileSync(join(__dirname, '../../docs/platform.md'), 'utf8');
  const [, section = ''] = /^### Listening$([^]*)/m.exec(page) ?? [];
  const calls = [...section.matchAll(/\b(sqs|events) ([a-z]+-[a-z-]+)/g)].map(
    ([, service = '', operation = '']) => `${service} ${operation}`,
  );
  expect(calls).toEqual([
    'sqs create-queue',
    'sqs get-queue-attributes',
    'events put-rule',
    'sqs set-queue-attributes',
    'events put-targets',
    'sqs receive-message',
    'sqs delete-message',
    'events remove-targets',
    'events delete-rule',
    'sqs delete-queue',
  ]);
});
