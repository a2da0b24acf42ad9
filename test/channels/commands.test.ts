import { clients } from '../api/client';
import { fleetOf, givenJob, givenShare } from '../api/given';
import { subscribe } from './mqtt-client';
import { listenAsPlatform, type ReceivedEvent, publishPlatformEvent } from './platform-bus';
import { moveByReports } from './reported-status';
import { follow, followFromSnapshot } from './socket';
import { ask, openTelemetry, publish, sampleOf, watch } from './telemetry-socket';
import { until } from './until';

const [partner, reader = partner] = clients('commands');
const { deviceId, deviceGroupId } = fleetOf(partner);
const heard: ReceivedEvent[] = [];
const take = listenAsPlatform();
jest.setTimeout(120_000);

const send = (body: object, headers: Record<string, string> = {}) =>
  partner.call('POST /v3/devices/{deviceId}/commands', { path: { deviceId }, body, headers });
const read = async (commandId: string) => {
  const { body } = await partner.call('GET /v3/devices/{deviceId}/commands/{commandId}', {
    path: { deviceId, commandId },
  });
  return body.command;
};
const report = (commandId: string, outcome: string, more: object = {}) => {
  const at = new Date().toISOString();
  return publishPlatformEvent(
    'control.outcome.reported',
    { requestId: commandId, deviceId, outcome, at, ...more },
    new Date(),
  );
};

/** The event on the bus of a command. */
const onTheBus = (commandId: string) =>
  until(`${commandId} on the bus`, async () => {
    const isMeant = ({ detail }: ReceivedEvent) => detail['commandId'] === commandId;
    if (!heard.some(isMeant)) heard.push(...(await take()));
    return heard.find(isMeant)?.detail;
  });

/** Reports that the device flies a job. */
async function fly(jobId: string, droneState = 'WAYPOINT'): Promise<void> {
  const socket = await openTelemetry(partner);
  await publish(socket, sampleOf(deviceId, { droneState, jobId }));
  await socket.close();
}

/** A job in flight. */
async function givenFlight(): Promise<string> {
  const { jobId } = await givenJob(partner, { deviceId });
  await moveByReports(partner, jobId, 'QUEUED', 'IN_PROGRESS');
  await fly(jobId);
  return jobId;
}

test('a command goes to the platform, and each of its states to the channels of its job and group, and into the feed', async () => {
  const jobId = await givenFlight();
  const { body: begin } = await partner.call('GET /v3/events');
  const job = await followFromSnapshot(partner, { kind: 'job', id: jobId });
  const group = await followFromSnapshot(reader, { kind: 'group', id: deviceGroupId }, 2);
  const mqtt = await subscribe(partner, `${jobId}/JOB/STATUS`, `${deviceGroupId}/DEVICE/STATUS`);
  const { status, body } = await send({ name: 'PAUSE' });
  expect(status).toBe(202);
  const { commandId } = body.command;
  expect(body.command).toMatchObject({ name: 'PAUSE', status: 'REQUESTED', jobId, deviceGroupId, origin: 'partner' });
  expect(await onTheBus(commandId)).toMatchObject({
    requestId: commandId,
    origin: 'partner',
    deviceId,
    jobId,
    command: { name: 'PAUSE' },
    sequence: body.command.sequence,
    startBefore: body.command.startBefore,
  });

  for (const outcome of ['DELIVERED', 'DONE']) {
    await report(commandId, outcome);
    for (const follower of [job, group, mqtt])
      expect(await follower.like({ type: 'command.status', commandId, status: outcome })).toMatchObject({
        deviceId,
        jobId,
        name: 'PAUSE',
        cursor: expect.any(String) as string,
      });
  }
  expect(await read(commandId)).toMatchObject({ status: 'DONE', version: 3 });

  // Once in the feed, in order, and the same to whoever resumes.
  const states = (messages: readonly object[]) =>
    messages.flatMap((message) =>
      'status' in message && 'commandId' in message && message.commandId === commandId ? [message.status] : [],
    );
  const feed = await partner.call('GET /v3/events', { query: { after: begin.cursor } });
  expect(states(feed.body.events)).toEqual(['REQUESTED', 'DELIVERED', 'DONE']);
  for (const channel of [
    { kind: 'job', id: jobId },
    { kind: 'group', id: deviceGroupId },
  ] as const) {
    const resumed = await follow(partner, channel, begin.cursor);
    await resumed.like({ type: 'resumed' });
    expect(states(resumed.messages)).toEqual(['REQUESTED', 'DELIVERED', 'DONE']);
  }
  for (const list of [
    await partner.call('GET /v3/devices/{deviceId}/commands', { path: { deviceId } }),
    await partner.call('GET /v3/jobs/{jobId}/commands', { path: { jobId } }),
  ])
    expect(list.body.commands[0]).toMatchObject({ commandId, status: 'DONE' });
});

test('RETURN_HOME supersedes what is pending, and other commands are 409 until it has ended', async () => {
  await givenFlight();
  const { body: pending } = await send({ name: 'GO_TO', position: { type: 'Point', coordinates: [8.54, 47.37] } });
  const { body: home } = await send({ name: 'RETURN_HOME' });
  const superseded = await until('SUPERSEDED', async () => {
    const command = await read(pending.command.commandId);
    return command.status === 'SUPERSEDED' ? command : undefined;
  });
  expect(superseded.supersededBy).toBe(home.command.commandId);
  expect(await send({ name: 'TAKE_PHOTO' })).toMatchObject({ status: 409, body: { error: 'cannot_command' } });
  await report(home.command.commandId, 'DONE');
  await until('DONE', async () => ((await read(home.command.commandId)).status === 'DONE' ? true : undefined));
  expect((await send({ name: 'TAKE_PHOTO' })).status).toBe(202);
});

test('a command that nobody answers has timed out, and what comes later is kept beside it', async () => {
  await givenFlight();
  const { body } = await send({ name: 'TAKE_PHOTO', timeoutSeconds: 5 });
  const { commandId } = body.command;
  const status = async (wanted: string) => ((await read(commandId)).status === wanted ? true : undefined);
  await until('TIMED_OUT', () => status('TIMED_OUT'));
  await report(commandId, 'DONE');
  await until('the late outcome', async () => ((await read(commandId)).lateOutcome ? true : undefined));
  expect(await read(commandId)).toMatchObject({ status: 'TIMED_OUT', lateOutcome: { outcome: 'DONE' } });
});

test('a viewer’s command is one of the device, and its viewers hear how it ends', async () => {
  const jobId = await givenFlight();
  const { shareCode } = await givenShare(partner, { permissions: ['view', 'control'], commands: ['PAUSE'] });
  const viewer = await watch(shareCode);
  const job = await followFromSnapshot(partner, { kind: 'job', id: jobId });
  const { requestId } = await ask(viewer, { action: 'control', command: { name: 'PAUSE' } });
  expect(await job.like({ type: 'command.status', commandId: requestId })).toMatchObject({
    origin: 'share',
    requestedBy: expect.stringMatching(/^viewer-/) as string,
  });
  expect(JSON.stringify(await onTheBus(String(requestId)))).not.toContain(shareCode);
  await report(String(requestId), 'REFUSED', { reason: 'DEVICE_BUSY' });
  expect(await viewer.like({ type: 'control.outcome', outcome: 'REFUSED' })).toMatchObject({
    requestId,
    deviceId,
    name: 'PAUSE',
    reason: 'DEVICE_BUSY',
  });
  expect(await ask(viewer, { action: 'control', command: { name: 'RESUME' } })).toMatchObject({ code: 'forbidden' });
});

test('the drone of a job that is deleted in flight is sent home', async () => {
  const jobId = await givenFlight();
  expect((await partner.call('DELETE /v3/jobs/{jobId}', { path: { jobId } })).status).toBe(200);
  const command = await until('RETURN_HOME', async () => {
    const { body } = await partner.call('GET /v3/devices/{deviceId}/commands', { path: { deviceId } });
    return body.commands.find(({ origin, jobId: of }) => origin === 'service' && of === jobId);
  });
  expect(command).toMatchObject({ name: 'RETURN_HOME', deviceId });
  expect(await onTheBus(command.commandId)).toMatchObject({ command: { name: 'RETURN_HOME' }, origin: 'service' });
});

test('what a device can do is what the platform registered', async () => {
  const capabilities = {
    commands: ['PAUSE', 'RESUME', 'GO_TO', 'RETURN_HOME', 'LAND', 'TAKE_PHOTO'],
    range: { from: { type: 'Point', coordinates: [8.5417, 47.3769] }, metres: 2000 },
  };
  const registered = { deviceId, deviceGroupId, name: 'North 1', capabilities };
  await publishPlatformEvent('device.registered', registered, new Date());
  const path = { path: { deviceId } };
  const known = await until('the capabilities', async () => {
    const { body } = await partner.call('GET /v3/devices/{deviceId}/capabilities', path);
    return body.capabilities.range ? body.capabilities : undefined;
  });
  expect(known).toEqual({ deviceId, ...capabilities });
  await givenFlight();
  const far = { type: 'Point', coordinates: [8.6, 47.4] };
  expect(await send({ name: 'GO_TO', position: far })).toMatchObject({
    status: 400,
    body: { details: [{ path: 'position' }] },
  });
  expect(await send({ name: 'ORBIT', position: far })).toMatchObject({
    status: 400,
    body: { details: [{ path: 'name' }] },
  });
});
