import type { IClientOptions } from 'mqtt';
import { channelKinds, type Channel } from '../../contract/channels/status-channels';
import { topicName } from '../../contract/terms/channel-addresses';
import { organisationOf } from '../../domain/values/id';
import { clients, type Client } from '../api/client';
import { fleetOf, givenJobThatIs, givenShare } from '../api/given';
import type { Message } from './message-log';
import { connectMqtt, Mqtt, subscribe, tryToConnect } from './mqtt-client';
import { quiet } from './until';
import { subscribeToTopic } from '../../bin/client/mqtt-subscription';
import { trustedCertificates } from '../../bin/client/credentials-file';
import { readFacts } from '../api/stack/facts';

const [partner, reader = partner] = clients('mqtt-access');
const [stranger] = clients('stranger');
const { clientId } = partner.credentials;

async function topicsOf(client: Client): Promise<Record<Channel['kind'], string>> {
  const [jobId, { shareCode }] = [await givenJobThatIs('QUEUED', client), await givenShare(client)];
  return {
    job: topicName({ kind: 'job', id: jobId }),
    group: topicName({ kind: 'group', id: fleetOf(client).deviceGroupId }),
    share: topicName({ kind: 'share', id: shareCode }),
  };
}

let ours: Record<Channel['kind'], string>;
let theirs: Record<Channel['kind'], string>;
beforeAll(async () => {
  [ours, theirs] = await Promise.all([topicsOf(partner), topicsOf(stranger)]);
});

/** Changes the status of a topic's job. */
const change = (client: Client, topic: string, status: string) =>
  client.call('PATCH /v3/jobs/{jobId}', { path: { jobId: topic.slice(0, topic.indexOf('/')) }, body: { status } });

describe('Connecting over MQTTS', () => {
  const other = stranger.credentials.clientId;
  test.each<[string, () => IClientOptions | Promise<IClientOptions>]>([
    ['a wrong password', () => ({ password: 'secret' })],
    ['no password', () => ({ password: '' })],
    ['no user name', () => ({ username: '' })],
    ["another client's token", async () => ({ password: await stranger.token() })],
    ["another client's user name", () => ({ username: other })],
    ["another client's MQTT client id", () => ({ clientId: `${other}-1` })],
    ["another client's user name and MQTT client id", () => ({ username: other, clientId: `${other}-1` })],
    ["a colleague's MQTT client id", () => ({ clientId: `${reader.credentials.clientId}-1` })],
    ['an MQTT client id that is not its own', () => ({ clientId: 'drone-7' })],
    ['no MQTT client id', () => ({ clientId: '' })],
    ['a longer name that begins like its own', () => ({ clientId: clientId.slice(0, -1) })],
    ['a wildcard for an MQTT client id', () => ({ clientId: `${clientId}-+` })],
    ['a slash in its MQTT client id', () => ({ clientId: `${clientId}/1` })],
    ['a star in its MQTT client id', () => ({ clientId: `${clientId}-*` })],
    ['a policy variable in its MQTT client id', () => ({ clientId: `${clientId}-\${iot:ClientId}` })],
  ])('is refused with %s', async (_, given) => {
    expect(await tryToConnect(partner, await given())).toBeInstanceOf(Error);
  });

  test('is refused without a clean session, since its subscriptions would outlive the connection uncounted', async () => {
    expect(await tryToConnect(partner, { clean: false })).toBeInstanceOf(Error);
    expect(await tryToConnect(partner, { clean: true })).toBeInstanceOf(Mqtt);
  });

  test.each([
    ['on its own topic', () => ours.job],
    ["on another organisation's", () => theirs.job],
    ['on any', () => 'anything'],
  ])('is refused with a last will %s, which is not published', async (_, topic) => {
    const listener = await subscribe(partner, ours.job);
    await listener.first(1);
    const payload = Buffer.from('{"type":"job.status","jobState":"FAILED"}');
    expect(await tryToConnect(partner, { will: { topic: topic(), payload, qos: 1, retain: true } })).toBeInstanceOf(
      Error,
    );
    await quiet();
    // Of `texts` there may be two: the state is published again when the audience is prolonged, each half hour.
    expect(listener.messages).toHaveLength(1);
  });

  test('closes the connection with the same MQTT client id', async () => {
    const options = { clientId: `${clientId}-again` };
    const first = await connectMqtt(partner, options);
    const second = await connectMqtt(partner, options);
    await first.ended;
    expect(await second.subscribe(ours.job)).toEqual([true]);
  });
});

describe('Subscribing', () => {
  test("is refused for another organisation's topics, of which nothing is received", async () => {
    const listener = await connectMqtt(partner);
    const foreign = channelKinds.map((kind) => theirs[kind]);
    expect(await listener.subscribe(...foreign, ours.group)).toEqual([false, false, false, true]);
    await change(stranger, theirs.job, 'IN_PROGRESS');
    await quiet();
    expect(listener.received.map(({ topic }) => topic).filter((topic) => topic !== ours.group)).toEqual([]);
    expect(listener.client.connected).toBe(true);
  });

  test('is refused for wildcards, reserved topics, shared subscriptions, and topics that are not channels', async () => {
    const organisation = organisationOf('group', fleetOf(partner).deviceGroupId) ?? '';
    const foreign = organisationOf('group', fleetOf(stranger).deviceGroupId) ?? '';
    const id = ours.job.slice(0, ours.job.indexOf('/'));
    const filters = [
      '#',
      '+',
      '+/#',
      '+/JOB/STATUS',
      '+/DEVICE/STATUS',
      '+/SHARE/STATUS',
      '+/+/+',
      '+/JOB/+',
      '/#',
      '$SYS/#',
      '$aws/#',
      '$aws/events/#',
      '$aws/events/subscriptions/+/+',
      `$aws/events/presence/+/${clientId}`,
      `$share/g/${ours.job}`,
      `$share/g/${theirs.job}`,
      '$share/g/#',
      '$share/g/+/JOB/STATUS',
      id,
      `${id}/#`,
      `${id}/+/STATUS`,
      `${id}/JOB/+`,
      `${id}/DEVICE/STATUS`,
      `${ours.job}/x`,
      `x/${ours.job}`,
      `job-${foreign}-/JOB/STATUS`,
      `group-${organisation}-x/JOB/STATUS`,
      `JOB-${organisation}-x/JOB/STATUS`,
    ];
    const listener = await connectMqtt(partner);
    for (const filter of filters) expect([filter, await listener.subscribe(filter)]).toEqual([filter, [false]]);
    await change(stranger, theirs.job, 'COMPLETED');
    await quiet();
    expect(listener.received).toEqual([]);
  });

  test('and being refused does not disturb other clients', async () => {
    const [noisy, neighbour] = [await connectMqtt(partner), await subscribe(partner, ours.job)];
    await Promise.all(Array.from({ length: 50 }, () => noisy.subscribe('#', '+/JOB/STATUS', theirs.job)));
    await change(partner, ours.job, 'IN_PROGRESS');
    await neighbour.like({ jobState: 'IN_PROGRESS' });
    expect(noisy.received).toEqual([]);
  });
});

describe('Publishing', () => {
  const forgery = JSON.stringify({ type: 'job.status', jobState: 'FAILED', sequence: 99 });
  // Whoever subscribes first in a half hour has the state published again, as a snapshot.
  const statesIn = (messages: readonly Message[]) => messages.map(({ sequence, jobState }) => ({ sequence, jobState }));
  test.each([
    ['to its own topic', () => ours.job, false],
    ['to its own topic, retained', () => ours.job, true],
    ['nothing to its own topic, retained, which would clear it', () => ours.job, true],
    ["to another organisation's", () => theirs.job, false],
    ["to another organisation's, retained", () => theirs.job, true],
    ['to an unknown topic', () => 'anything', false],
    ['a lifecycle event', () => `$aws/events/subscriptions/unsubscribed/${clientId}`, false],
  ])('%s closes the connection and reaches no subscriber', async (title, topic, retain) => {
    const [listener, foreign] = [await subscribe(partner, ours.job), await subscribe(stranger, theirs.job)];
    const before = [statesIn(await listener.first(1)), statesIn(await foreign.first(1))];
    const forger = await connectMqtt(partner);
    forger.client.publish(topic(), title.startsWith('nothing') ? '' : forgery, { qos: 1, retain });
    await forger.ended;
    await quiet();
    expect([statesIn(listener.messages), statesIn(foreign.messages)]).toEqual(before);
    const late = [await subscribe(partner, ours.job), await subscribe(stranger, theirs.job)];
    expect(await Promise.all(late.map(async (each) => statesIn(await each.first(1))))).toEqual(before);
  });
});

test('a command that follows a topic with a refused token says what a token needs', async () => {
  const { mqttUrl, caFile } = readFacts();
  const { clientId } = partner.credentials;
  const subscription = { mqttUrl, ca: trustedCertificates(caFile), clientId, token: 'refused' };
  const topic = { clientIdSuffix: 'refused', topic: 'job-x/JOB/STATUS', onMessage: () => undefined };
  await expect(subscribeToTopic({ ...subscription, ...topic })).rejects.toThrow('valid for at least five more minutes');
});
