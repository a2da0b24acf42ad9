import { ListQueuesCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { ScanCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { type Channel } from '../../contract/channels/status-channels';
import { topicName } from '../../contract/terms/channel-addresses';
import { newId } from '../../data/store/new-id';
import { clients, type Client } from '../api/client';
import { fleetOf, givenJob, givenShare, givenVideoShare } from '../api/given';
import { ofThisStack, queues, database, tableNamed } from '../api/stack/aws-access';
import { reportUntilReceived } from './device-reports';
import { documented, note, requests, unseen, withOwnIds } from './documented-messages';
import type { MessageLog } from './message-log';
import { subscribe, type Mqtt } from './mqtt-client';
import { publishPlatformEvent } from './platform-bus';
import { cursorOfSnapshot, expireAfter, lastNumber, numberIn, organisationOfClient } from './resume';
import { follow, type Socket } from './socket';
import { ask, openTelemetry, publish, sampleOf, subscribeTo, watch } from './telemetry-socket';
import { until, untilPositionsBegin } from './until';

/**
 * Makes connections that a client and the viewers of its organisation have just opened a minute old, so that the next
 * heartbeat is theirs too, once they have their snapshots: before, there is none for them.
 * @param expiresAt when they end, Unix seconds
 */
async function ageConnections(client: Client, expiresAt?: number): Promise<void> {
  const TableName = await tableNamed('Connections');
  const past = Math.floor(Date.now() / 1000) - 61;
  const young = new ScanCommand({
    TableName,
    FilterExpression: '(clientId = :clientId OR contains(shareCode, :organisation)) AND openedAt > :past',
    ExpressionAttributeValues: {
      ':clientId': client.credentials.clientId,
      ':organisation': organisationOfClient(client),
      ':past': past,
    },
  });
  const Items = await until('all snapshots', async () => {
    const { Items: found = [] } = await database().send(young);
    return found.some((item) => item['bufferingSince'] !== undefined) ? undefined : found;
  });
  const update = ({ channel, connectionId }: Record<string, unknown>) =>
    database().send(
      new UpdateCommand({
        TableName,
        Key: { channel: String(channel), connectionId: String(connectionId) },
        UpdateExpression: `SET openedAt = :past${expiresAt === undefined ? '' : ', expiresAt = :expiresAt'}`,
        ConditionExpression: 'attribute_exists(openedAt)',
        ExpressionAttributeValues: { ':past': past, ...(expiresAt !== undefined && { ':expiresAt': expiresAt }) },
      }),
    );
  // Items of sockets that were closed before may be deleted meanwhile.
  await Promise.allSettled(Items.map(update));
}

const [partner] = clients('documented-messages');
const { deviceId, deviceGroupId } = fleetOf(partner);

const revoke = (shareCode: string) => partner.call('DELETE /v3/shares/{shareCode}', { path: { shareCode } });
const givenChannel = {
  job: async (): Promise<Channel> => ({ kind: 'job', id: (await givenJob(partner)).jobId }),
  group: (): Promise<Channel> => Promise.resolve({ kind: 'group', id: deviceGroupId }),
  share: async (): Promise<Channel> => ({ kind: 'share', id: (await givenShare(partner)).shareCode }),
};
const givenStream = () => givenVideoShare(partner);

/** Opens a socket of each channel over WebSockets, by its name in the document. */
const sockets: Readonly<Record<string, () => Promise<Socket>>> = {
  jobSocket: async () => follow(partner, await givenChannel.job()),
  groupSocket: async () => follow(partner, await givenChannel.group()),
  shareSocket: async () => follow(partner, await givenChannel.share()),
  telemetry: () => openTelemetry(partner),
  viewer: async () => watch(await givenStream()),
};
const open = (channel: string): Promise<Socket> => {
  const opened = sockets[channel];
  if (!opened) throw new Error(`no socket for ${channel}`);
  return opened();
};

/** Notes all messages that a client has received. */
const noteAll = (channel: string, { texts }: Socket): string[] => texts.map((text) => note(channel, text));
const noteTopic = (channel: string, { received }: Mqtt): string[] => received.map(({ text }) => note(channel, text));

/** Sends a message as documented, and returns the name and the fields of its answer. */
async function send(channel: string, socket: Socket, message: object) {
  note(channel, JSON.stringify({ id: 1, ...message }));
  const answer = await ask(socket, message);
  return { name: note(channel, JSON.stringify({ ...answer, id: 1 })), answer };
}

test('each documented channel over WebSockets is opened by a case', () => {
  const overWebSockets = Object.keys(documented).filter((channel) => !channel.endsWith('Topic'));
  expect(Object.keys(sockets).toSorted()).toEqual(overWebSockets.toSorted());
});

describe.each(requests)('The example of $message', ({ name, message, channel, payload, replies }) => {
  test(`${name} is answered with ${replies.join()} on the channel ${channel}`, async () => {
    const [socket, token] = [await open(channel), await partner.token()];
    const { jobId } = await givenJob(partner);
    const own = { deviceId, deviceGroupId, jobId, token };
    const { name: answered } = await send(channel, socket, withOwnIds(payload, own));
    expect(replies).toContain(answered);
    noteAll(channel, socket);
    // For viewers in other tests.
    if (message === 'takeControl') await ask(socket, { action: 'releaseControl' });
  });
});

/** Commands the device, and waits until its followers know. */
async function command(name: 'PAUSE' | 'RETURN_HOME', ...followers: readonly MessageLog[]): Promise<void> {
  const { status, body } = await partner.call('POST /v3/devices/{deviceId}/commands', {
    path: { deviceId },
    body: { name },
  });
  expect(status).toBe(202);
  for (const follower of followers) await follower.like({ commandId: body.command.commandId });
}

describe('Status messages', () => {
  test('of a job are as documented over both protocols, until its deletion clears the topic', async () => {
    const channel = await givenChannel.job();
    const [listener, socket] = [await subscribe(partner, topicName(channel)), await follow(partner, channel)];
    // The topic is cleared only when its subscriber is known.
    await Promise.all([socket.first(1), listener.first(1)]);
    for (const status of ['QUEUED', 'IN_PROGRESS'])
      await partner.call('PATCH /v3/jobs/{jobId}', { path: { jobId: channel.id }, body: { status } });
    await socket.like({ jobState: 'IN_PROGRESS' });
    await untilPositionsBegin();
    await publish(await openTelemetry(partner), sampleOf(deviceId, { droneState: 'ORBIT', jobId: channel.id }));
    await socket.like({ droneState: 'ORBIT' });
    await command('PAUSE', socket, listener);
    await partner.call('DELETE /v3/jobs/{jobId}', { path: { jobId: channel.id } });
    await until('clearing the topic', () => listener.received.at(-1)?.text === '' || undefined);
    expect(noteTopic('jobTopic', listener)).toEqual(expect.arrayContaining(['jobStatus', 'commandStatus', 'cleared']));
    expect(new Set(noteAll('jobSocket', socket))).toEqual(new Set(['jobStatus', 'commandStatus']));
  });

  test('of a device group are as documented over both protocols', async () => {
    const channel = await givenChannel.group();
    const [listener, socket] = [await subscribe(partner, topicName(channel)), await follow(partner, channel)];
    await socket.first(1);
    const reading = { weather: { rain: 1 }, sensorPayload: { camera: { orientation: { pitch: 1 } } } };
    const stateNow = () => ({ timestamp: sampleOf(deviceId).timestamp, ...reading });
    const { timestamp } = await reportUntilReceived(deviceId, stateNow, listener.messages);
    await socket.like({ timestamp });
    await command('RETURN_HOME', socket, listener);
    expect(noteTopic('groupTopic', listener)).toEqual(expect.arrayContaining(['deviceStatus', 'commandStatus']));
    expect(noteAll('groupSocket', socket)).toContain('deviceStatus');
  });

  test('of a device group without devices are cleared when its state is retained later', async () => {
    const id = newId('group', organisationOfClient(partner));
    await publishPlatformEvent('device-group.registered', { deviceGroupId: id, name: 'Empty' }, new Date());
    const channel = { kind: 'group', id } as const;
    await until('registering the group', async () => {
      const { body } = await partner.call('GET /v3/resources');
      return body.resources.some((group) => group.deviceGroupId === id) || undefined;
    });
    const listener = await subscribe(partner, topicName(channel));
    const { QueueUrls = [] } = await queues().send(new ListQueuesCommand());
    const nameOfQueue = (url: string) => url.slice(url.lastIndexOf('/') + 1);
    const retention = ofThisStack(QueueUrls.map(nameOfQueue), 'RealtimeFanOutRetention');
    const QueueUrl = QueueUrls.find((url) => nameOfQueue(url) === retention);
    await queues().send(new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(channel) }));
    await until('clearing the topic', () => listener.received.at(-1)?.text === '' || undefined);
    expect(noteTopic('groupTopic', listener)).toEqual(['cleared']);
  });

  test('of a share are as documented over both protocols, until its revocation clears the topic', async () => {
    const channel = await givenChannel.share();
    const [listener, socket] = [await subscribe(partner, topicName(channel)), await follow(partner, channel)];
    await listener.first(1);
    await watch(channel.id);
    await socket.like({ currentViewers: 1 });
    await revoke(channel.id);
    await until('clearing the topic', () => listener.received.at(-1)?.text === '' || undefined);
    expect(noteTopic('shareTopic', listener)).toEqual(expect.arrayContaining(['shareStatus', 'cleared']));
    expect(new Set(noteAll('shareSocket', socket))).toEqual(new Set(['shareStatus']));
  });
});

describe('A client that resumes', () => {
  /** Makes a change that the channel's log has. */
  const changes: Readonly<Record<keyof typeof givenChannel, (channel: Channel) => Promise<unknown>>> = {
    job: ({ id }) => partner.call('POST /v3/jobs/{jobId}/cancel', { path: { jobId: id } }),
    group: () => publishPlatformEvent('device.registered', renamed(), new Date()),
    // The log of an active share has nothing more: another event of the organisation expires.
    share: () => givenJob(partner),
  };
  const renamed = () => ({ deviceId, deviceGroupId, name: `North ${Date.now()}` });

  test.each(['job', 'group', 'share'] as const)('on the channel of a %s is answered as documented', async (kind) => {
    const channel = await givenChannel[kind]();
    const cursor = await cursorOfSnapshot(await follow(partner, channel));
    await changes[kind](channel);
    await until('the change in the log', async () => (await lastNumber(partner)) > numberIn(cursor) || undefined);
    const resumed = await follow(partner, channel, cursor);
    await resumed.like({ type: 'resumed' });
    expect(noteAll(`${kind}Socket`, resumed)).toContain('resumed');
    await expireAfter(partner, cursor);
    const late = await follow(partner, channel, cursor);
    await late.like({ snapshot: true });
    expect(noteAll(`${kind}Socket`, late)).toContain('gap');
  });
});

describe('Telemetry', () => {
  const sensorPayload = { camera: { orientation: { pitch: -45 }, lens: 'wide' }, gas: { ch4: 1.9 } };

  test('for partners is as documented, in snapshots and samples', async () => {
    const [publisher, follower] = [await openTelemetry(partner), await openTelemetry(partner)];
    await publish(publisher, sampleOf(deviceId, { droneState: 'DOCKED', sensorPayload, jobId: 'job-x' }));
    await subscribeTo(follower, { deviceGroupId });
    await follower.like({ snapshot: true });
    const sample = sampleOf(deviceId, { battery: { percent: 80 }, simulated: true });
    await publish(publisher, sample);
    await follower.like({ timestamp: sample.timestamp });
    await subscribeTo(follower, { deviceGroupId, batch: true });
    await publish(publisher, sampleOf(deviceId), sampleOf(deviceId));
    await follower.like({ type: 'device.telemetry.batch' });
    expect(follower.texts.map((text) => note('telemetry', text))).toEqual(
      expect.arrayContaining(['deviceTelemetry', 'deviceTelemetryBatch']),
    );
  });

  test('for viewers is as documented, until the share ends', async () => {
    const shareCode = await givenStream();
    const publisher = await openTelemetry(partner);
    await publish(publisher, sampleOf(deviceId, { droneState: 'HOVER', sensorPayload, jobId: 'job-x' }));
    const viewer = await watch(shareCode);
    const sample = sampleOf(deviceId, { sensorPayload });
    await publish(publisher, sample);
    await viewer.like({ timestamp: sample.timestamp });
    await revoke(shareCode);
    await viewer.closed;
    expect(noteAll('viewer', viewer)).toEqual(
      expect.arrayContaining(['viewerShareStatus', 'sharePlayback', 'viewerTelemetry']),
    );
    expect(viewer.messages.at(-1)).toMatchObject({ shareState: 'REVOKED' });
  });

  test('has the outcome of a command for viewers', async () => {
    const viewer = await watch(await givenStream());
    const { requestId } = (await ask(viewer, { action: 'control', command: { name: 'HOVER' } })) as {
      requestId: string;
    };
    const outcome = { requestId, deviceId, outcome: 'DONE', at: new Date().toISOString() };
    await publishPlatformEvent('control.outcome.reported', outcome, new Date());
    const received = await viewer.like({ type: 'control.outcome' });
    expect(note('viewer', JSON.stringify(received))).toBe('controlOutcome');
  });
});

describe('Errors', () => {
  test.each(Object.keys(sockets))('on the channel %s are as documented', async (channel) => {
    const socket = await open(channel);
    for (const message of ['no JSON', '{"action":"fly","id":2}', '{"action":"ping","id":[]}']) {
      const before = socket.messages.length;
      socket.send(message);
      await socket.like({ type: 'error' });
      await socket.first(before + 1);
    }
    expect(noteAll(channel, socket)).toContain('error');
  });
});

/** Opens a socket of each of these channels whose handshake is complete. */
const openAll = (names: readonly string[]) =>
  Promise.all(
    names.map(async (channel) => {
      const socket = await open(channel);
      await ask(socket, { action: 'ping' });
      return [channel, socket] as const;
    }),
  );

test('every kind of socket receives the heartbeat as documented, or a warning when it ends soon', async () => {
  const staying = await openAll(Object.keys(sockets));
  await ageConnections(partner);
  const ending = await openAll(Object.keys(sockets).filter((channel) => channel !== 'viewer'));
  // The next run is in a minute at most, and warns those that end within one to three minutes.
  const end = Math.floor(Date.now() / 1000) + 150;
  await ageConnections(partner, end);
  const runs = [
    ...staying.map(([channel, socket]) => [channel, socket, 'heartbeat'] as const),
    ...ending.map(([channel, socket]) => [channel, socket, 'expiring'] as const),
  ];
  for (const [channel, socket, type] of runs) {
    // The heartbeat runs every minute.
    const isThere = () => socket.messages.find((message) => message.type === type);
    const received = await until(`${type} on ${channel}`, isThere, () => socket.texts, 75_000);
    expect(noteAll(channel, socket)).toContain(type);
    if (type === 'expiring')
      expect(received).toEqual({ type, expiresAt: new Date(end * 1000).toISOString(), reason: 'token' });
  }
  const warned = runs.flatMap(([, socket]) => socket.messages.filter(({ type }) => type === 'expiring'));
  expect(warned).toHaveLength(ending.length);
});

// Keep it last.
test('every documented message of every channel was sent or received', () => {
  expect(unseen()).toEqual([]);
});
