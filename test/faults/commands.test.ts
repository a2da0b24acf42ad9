import { setTimeout as pause } from 'node:timers/promises';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { FaultsFile } from 'cloud-assembly-runner';
import { START_WITHIN_MS } from '../../domain/commands/command-timeout';
import { clients } from '../api/client';
import { fleetOf, givenShare } from '../api/given';
import { database, tableNamed } from '../api/stack/aws-access';
import { givenFlyingDevice } from '../channels/flying-device';
import { listenAsPlatform, type ReceivedEvent } from '../channels/platform-bus';
import { ask, watch } from '../channels/telemetry-socket';
import { until } from '../channels/until';
import { injectFaults } from './inject-faults';

const [partner] = clients('command-faults');
const take = listenAsPlatform(0);
const heard: ReceivedEvent['detail'][] = [];

/** The shortest time in which a command may be asked to end. */
const SHORTEST_S = 5;
/**
 * A fault lasts longer than commands may wait that are sent at its beginning, and less long than those that are sent in
 * its middle.
 */
const HALF_OF_FAULT_MS = START_WITHIN_MS / 2 + 500;
/** Failed messages are tried again soon, not after minutes, and not so often during a fault that the queue gives up. */
const retries = { afterMs: 1000 };

interface Sent {
  readonly deviceId: string;
  readonly commandId: string;
  readonly sequence: number;
  readonly startBefore: string;
  readonly endBefore: string;
}

async function send(deviceId: string, timeoutSeconds?: number): Promise<Sent> {
  const body = { name: 'TAKE_PHOTO', ...(timeoutSeconds !== undefined && { timeoutSeconds }) };
  const answer = await partner.call('POST /v3/devices/{deviceId}/commands', { path: { deviceId }, body });
  expect([answer.status, answer.body.details]).toEqual([202, undefined]);
  return answer.body.command;
}

const flyingDevice = () => givenFlyingDevice(fleetOf(partner).deviceGroupId);

/** The command as it is stored, also while the functions can't read it. */
async function stored({ deviceId, commandId }: Pick<Sent, 'deviceId' | 'commandId'>) {
  const TableName = await tableNamed('Commands');
  const { Item } = await database().send(
    new GetCommand({ TableName, Key: { deviceId, commandId }, ConsistentRead: true }),
  );
  return Item as { readonly status: string; readonly reason?: string; readonly endedAt?: string };
}

/** What the platform has got of a command, each time. */
async function onTheBus(commandId: string): Promise<ReceivedEvent['detail'][]> {
  for (let events = await take(); events.length > 0; events = await take())
    heard.push(...events.map(({ detail }) => detail));
  return heard.filter((detail) => detail['commandId'] === commandId);
}

/** Waits until the platform has got a command, or it has ended unpublished. @returns the reason of the end, or `published` */
const fateOf = (command: Sent) =>
  until(`${command.commandId} on the bus, or its end`, async () => {
    const { status, reason, endedAt } = await stored(command);
    if (endedAt !== undefined) return reason ?? status;
    if ((await onTheBus(command.commandId)).length > 0) return 'published';
    await pause(50);
    return undefined;
  });

/** A repeat is the same in all that it says, so that the platform knows it; and what was refused is not on the bus. */
async function expectOnce(command: Sent, fate: string): Promise<void> {
  const { commandId, deviceId, sequence } = command;
  const events = await onTheBus(commandId);
  for (const event of events) expect(event).toEqual({ ...events[0], commandId, deviceId, sequence });
  expect(events.length > 0).toBe(fate === 'published');
}

/** All commands of a device, in their order: none is lost, and none is there twice. */
async function expectNoOthers(deviceId: string, commands: readonly Sent[]): Promise<void> {
  const { body } = await partner.call('GET /v3/devices/{deviceId}/commands', { path: { deviceId } });
  const shown = body.commands.map(({ commandId, sequence }) => ({ commandId, sequence })).toReversed();
  expect(shown).toEqual(commands.map(({ commandId }, index) => ({ commandId, sequence: index + 1 })));
}

const publisher = 'PlatformIntegrationOutboundEventsPublish';

test.each<[string, FaultsFile, string[]]>([
  ['the bus takes nothing', { events: { down: true } }, ['TOO_LATE']],
  // It may have published before it is killed: then it does so again.
  [
    'the function that publishes is killed',
    { functions: { killed: { name: publisher, share: 1 } } },
    ['TOO_LATE', 'published'],
  ],
])('while %s, commands are published later or end as too late, each once', async (_, fault, fatesOfEarly) => {
  const deviceId = await flyingDevice();
  injectFaults(fault);
  const early = [await send(deviceId), await send(deviceId)];
  await pause(HALF_OF_FAULT_MS);
  const late = [await send(deviceId), await send(deviceId)];
  await pause(HALF_OF_FAULT_MS);
  injectFaults({});
  const all = [...early, ...late, await send(deviceId)];
  for (const command of all) {
    const fate = await fateOf(command);
    expect(early.includes(command) ? fatesOfEarly : ['TOO_LATE', 'published']).toContain(fate);
    await expectOnce(command, fate);
  }
  await expectNoOthers(deviceId, all);
});

test('a command that nobody answers times out, also when DynamoDB is down at that moment', async () => {
  const command = await send(await flyingDevice(), SHORTEST_S);
  expect(await fateOf(command)).toBe('published');
  injectFaults({ dynamodb: { down: true }, retries });
  const untilEnd = Date.parse(command.endBefore) - Date.now();
  await pause(untilEnd + 1500);
  expect(await stored(command)).toMatchObject({ status: 'REQUESTED' });
  injectFaults({ retries });
  const { endedAt = '' } = await until('TIMED_OUT', async () => {
    const found = await stored(command);
    return found.status === 'TIMED_OUT' ? found : undefined;
  });
  expect(endedAt > command.endBefore).toBe(true);
});

test('when the stream comes twice, the platform gets the same commands again, known by their id and sequence', async () => {
  const deviceId = await flyingDevice();
  injectFaults({ streams: { repeated: true } });
  const commands = [await send(deviceId), await send(deviceId), await send(deviceId)];
  for (const command of commands) {
    await until('a repeat', async () => ((await onTheBus(command.commandId)).length > 1 ? true : undefined));
    await expectOnce(command, 'published');
  }
  await expectNoOthers(deviceId, commands);
});

test('when the stream is late, a command whose share has ended meanwhile never reaches the platform', async () => {
  const deviceId = await flyingDevice();
  const { shareCode } = await givenShare(partner, { resourceId: deviceId, permissions: ['view', 'control'] });
  const viewer = await watch(shareCode);
  injectFaults({ streams: { lateMs: 2000 } });
  const { requestId } = await ask(viewer, { action: 'control', command: { name: 'PAUSE' } });
  const command = { deviceId, commandId: String(requestId) };
  expect((await partner.call('DELETE /v3/shares/{shareCode}', { path: { shareCode } })).status).toBe(200);
  const ended = await until('its end', async () => {
    const found = await stored(command);
    return found.status === 'REQUESTED' ? undefined : found;
  });
  expect(ended).toMatchObject({ status: 'REFUSED', reason: 'SHARE_ENDED' });
  // Its stream record has come when that of a later command has.
  const later = await send(deviceId);
  expect(await fateOf(later)).toBe('published');
  expect(await onTheBus(command.commandId)).toEqual([]);
});
