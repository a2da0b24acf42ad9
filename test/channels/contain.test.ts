import { DeleteCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { topicName } from '../../contract/terms/channel-addresses';
import { digestShareCode } from '../../data/shares/share-id';
import { Client } from '../api/client';
import { givenJob, givenShare } from '../api/given';
import { database, runPartnerCommand, tableNamed } from '../api/stack/aws-access';
import { connectMqtt, subscribe, tryToConnect, type Mqtt } from './mqtt-client';
import { newcomers } from './newcomers';
import { follow, tryToFollow, type Socket } from './socket';
import { ask, openTelemetry, tryToOpen, tryToWatch, watch } from './telemetry-socket';
import { quiet, until } from './until';

/** How soon access must have ended, in ms; the command itself takes a few seconds of it. */
const SOON_MS = 10_000;
const MQTT_MS = 60_000;

const contained = z.object({
  clientSecret: z.string(),
  apiKey: z.string(),
  ended: z.object({ sockets: z.int(), mqttConnections: z.int(), shares: z.int() }),
  created: z.object({
    jobs: z.array(z.object({ jobId: z.string(), origin: z.string() })),
    shares: z.array(z.object({ shareId: z.string(), origin: z.string() })),
  }),
});

/** What a client has open, and what it has made. */
async function everythingOf(client: Client) {
  const { jobId } = await givenJob(client);
  const { shareCode } = await givenShare(client);
  const topic = topicName({ kind: 'job', id: jobId });
  return {
    jobId,
    shareCode,
    channel: await follow(client, { kind: 'job', id: jobId }),
    telemetry: await openTelemetry(client),
    viewer: await watch(shareCode),
    subscriber: await subscribe(client, topic),
    silent: await connectMqtt(client),
    topic,
  };
}

type Everything = Awaited<ReturnType<typeof everythingOf>>;

const hasEnded = async ({ closed }: Socket) => Promise.race([closed, quiet()]);
const hasEndedMqtt = async ({ ended }: Mqtt) => Promise.race([ended.then(() => 'ended'), quiet()]);

const status = async (client: Client) => (await client.call('GET /v3/jobs')).status;

const soon = (what: string, look: () => Promise<true | undefined>, ms = SOON_MS) => until(what, look, undefined, ms);

/** A client with the same credentials and this token. */
function withToken({ credentials }: Client, token: string): Client {
  const client = new Client(credentials);
  client.token = () => Promise.resolve(token);
  return client;
}

test('a contained client has access in no way, its colleague keeps all, and old tokens stay refused', async () => {
  const [leaked, colleague] = (await newcomers('Leaky', ['leaked', 'colleague'])) as [Client, Client];
  const [lost, kept] = [await everythingOf(leaked), await everythingOf(colleague)];
  expect([await status(leaked), await status(colleague)]).toEqual([200, 200]);
  const { clientId } = leaked.credentials;
  // Nothing has cached what was decided of it.
  const unused = withToken(leaked, await leaked.newToken());

  const printed = contained.parse(JSON.parse(await runPartnerCommand('contain', clientId)));
  await expectAllEnded(lost, leaked);
  expect(printed.ended).toEqual({ sockets: 2, mqttConnections: 2, shares: 1 });
  expect(printed.created).toEqual({
    jobs: [{ jobId: lost.jobId, origin: 'own' }],
    shares: [{ shareId: digestShareCode(lost.shareCode), origin: 'own' }],
  });
  expect(await status(leaked)).toBe(403);
  await expectUntouched(kept, colleague);

  await runPartnerCommand('resume', '--client-id', clientId);
  expect(await status(unused)).toBe(401);
  // API Gateway remembers for some minutes that the client was suspended when it used this one.
  expect([401, 403]).toContain(await status(leaked));
  for (const old of [leaked, unused]) await expectRefused(old, kept.jobId);
  const { clientSecret, apiKey } = printed;
  const renewed = new Client({ ...leaked.credentials, clientSecret, apiKey });
  expect(await status(renewed)).toBe(200);
  const socket = await openTelemetry(renewed);
  expect(await ask(socket, { action: 'authenticate', token: await unused.token() })).toMatchObject({
    type: 'error',
    code: 'unauthorized',
  });
  await (await connectMqtt(renewed)).close();
  await expectUntouched(kept, colleague);
});

async function expectAllEnded({ channel, telemetry, viewer, subscriber, silent }: Everything, client: Client) {
  await soon('the end of REST', async () => ((await status(client)) === 403 ? true : undefined));
  for (const socket of [channel, telemetry, viewer])
    await soon('the end of a socket', async () => ((await hasEnded(socket)) ? true : undefined));
  expect(viewer.messages.at(-1)).toMatchObject({ type: 'share.status', shareState: 'REVOKED' });
  for (const connection of [subscriber, silent])
    await soon('the end of MQTT', async () => ((await hasEndedMqtt(connection)) ? true : undefined), MQTT_MS);
}

/** No way to the channels is open to a token. */
async function expectRefused(old: Client, jobId: string) {
  expect(await tryToFollow(old, { kind: 'job', id: jobId })).toEqual({ status: 401 });
  expect(await tryToOpen(old)).toEqual({ status: 401 });
  expect(await tryToConnect(old)).toBeInstanceOf(Error);
}

async function expectUntouched(
  { channel, telemetry, viewer, subscriber, jobId, shareCode }: Everything,
  client: Client,
) {
  expect(await status(client)).toBe(200);
  const { body } = await client.call('PATCH /v3/jobs/{jobId}', { path: { jobId }, body: { name: 'Still there' } });
  expect(body.job.jobId).toBe(jobId);
  for (const socket of [channel, telemetry, viewer])
    expect(await ask(socket, { action: 'ping' })).toMatchObject({ type: 'pong' });
  expect(subscriber.client.connected).toBe(true);
  expect((await tryToWatch(shareCode)).status).toBe(101);
}

test('an MQTT connection whose event was lost ends when it subscribes', async () => {
  const [leaked] = (await newcomers('Leaky', ['leaked'])) as [Client];
  const { clientId } = leaked.credentials;
  const { jobId } = await givenJob(leaked);
  const unknown = await connectMqtt(leaked);
  await forgetMqttClients(clientId);
  const printed = contained.parse(JSON.parse(await runPartnerCommand('contain', clientId)));
  expect(printed.ended.mqttConnections).toBe(0);
  expect(unknown.client.connected).toBe(true);
  await unknown.subscribe(topicName({ kind: 'job', id: jobId }));
  await soon('the end of MQTT', async () => ((await hasEndedMqtt(unknown)) ? true : undefined), MQTT_MS);
});

/** Deletes what the lifecycle events of AWS IoT have said of a client's connections, as soon as they have. */
async function forgetMqttClients(clientId: string): Promise<void> {
  const TableName = await tableNamed('Connections');
  const channel = `mqtt#${clientId}`;
  await until('the event of the connection', async () => {
    const { Items = [] } = await database().send(
      new QueryCommand({
        TableName,
        KeyConditionExpression: 'channel = :channel',
        ExpressionAttributeValues: { ':channel': channel },
        ConsistentRead: true,
      }),
    );
    for (const { connectionId } of Items)
      await database().send(new DeleteCommand({ TableName, Key: { channel, connectionId: String(connectionId) } }));
    return Items.length > 0 ? true : undefined;
  });
}
