import { connect, type MqttClient } from 'mqtt';
import { broadcastProtocol, BROADCAST_PATH, shareProtocols } from '../../contract/shares/viewer-protocol';
import { clients } from '../api/client';
import { fleetOf, givenShare } from '../api/given';
import { readFacts } from '../api/stack/facts';
import { Mqtt } from './mqtt-client';
import { shakeHands, type Socket } from './socket';
import { openTelemetry, publish, sampleOf, samplesIn, watch } from './telemetry-socket';
import { quiet, until } from './until';

const [partner] = clients('telemetry-broadcast');
const { deviceId } = fleetOf(partner);

/** What the first message of a page says about the topic. */
interface Access {
  readonly clientId: string;
  readonly username: string;
  readonly topic: string;
}

/** Opens the socket of a share page, and waits for its first message. */
async function openPage(shareCode: string) {
  const query = new URLSearchParams({ shareCode }).toString();
  const protocols = [...Object.values(shareProtocols), broadcastProtocol];
  const { socket } = await shakeHands(`/telemetry?${query}`, {}, protocols);
  expect(socket?.socket.protocol).toBe(shareProtocols.watching);
  const status = await socket?.like({ type: 'share.status', snapshot: true });
  return { socket: socket as Socket, access: status?.['broadcast'] as Access | undefined };
}

const open: MqttClient[] = [];
afterEach(() => open.splice(0).forEach((client) => client.end(true)));

/** Connects over MQTT as a share page does. Rejects when it is refused. */
function connectTo({ clientId, username }: Access, password: string): Promise<Mqtt> {
  const credentials = { clientId, username, password, protocolVersion: 4, reconnectPeriod: 0 } as const;
  const client = connect(`${readFacts().wsUrl}${BROADCAST_PATH}`, credentials);
  open.push(client);
  return new Promise((resolve, reject) => {
    client.once('connect', () => resolve(new Mqtt(client)));
    client.once('error', reject);
  });
}

/** A page that watches a share with many places, subscribed to its topic. */
async function watchTopic(shareCode: string) {
  const { socket, access } = await openPage(shareCode);
  if (!access) throw new Error('the share has no topic');
  const mqtt = await connectTo(access, shareCode);
  expect(await mqtt.client.subscribeAsync(access.topic)).toMatchObject([{ qos: 0 }]);
  return { socket, access, mqtt };
}

describe('A share with many places', () => {
  test('is published once for ten pages, while a viewer without the subprotocol gets samples over its socket', async () => {
    const { shareCode } = await givenShare(partner, { maxViewers: 100 });
    const publisher = await openTelemetry(partner);
    const pages = await Promise.all(Array.from({ length: 10 }, () => watchTopic(shareCode)));
    const viewer = await watch(shareCode);
    const samples = [sampleOf(deviceId, { droneState: 'HOVER', jobId: 'job-of-the-partner' }), sampleOf(deviceId)];
    for (const sample of samples) await publish(publisher, sample);
    const last = samples.at(-1)?.timestamp;
    await viewer.like({ timestamp: last });
    for (const { mqtt, socket } of pages) {
      await mqtt.like({ timestamp: last });
      expect(mqtt.messages.map(({ timestamp }) => timestamp)).toEqual(samples.map(({ timestamp }) => timestamp));
      expect(mqtt.texts.join('')).not.toContain('job-of-the-partner');
      expect(samplesIn(socket, deviceId)).toEqual([]);
    }
    expect(samplesIn(viewer, deviceId)).toHaveLength(2);
  });

  test('has a topic and client ids without its code', async () => {
    const { shareCode } = await givenShare(partner, { maxViewers: 100 });
    const { access } = await openPage(shareCode);
    expect(JSON.stringify(access)).not.toContain(shareCode);
  });

  test('lets a page subscribe to nothing else, and publish nothing', async () => {
    const [one, other] = [
      await givenShare(partner, { maxViewers: 100 }),
      await givenShare(partner, { maxViewers: 100 }),
    ];
    const { mqtt } = await watchTopic(one.shareCode);
    const { access } = await openPage(other.shareCode);
    for (const filter of [access?.topic ?? '', 'broadcast/+', 'broadcast/#', '#', `${other.shareCode}/SHARE/STATUS`])
      await expect(mqtt.client.subscribeAsync(filter)).rejects.toThrow('Unspecified error');
    mqtt.client.publish(access?.topic ?? '', 'forged');
    await mqtt.ended;
  });

  test('takes the MQTT connection of an open socket with its code and client id only', async () => {
    const { shareCode } = await givenShare(partner, { maxViewers: 100 });
    const other = await givenShare(partner, { maxViewers: 100 });
    const { access } = await openPage(shareCode);
    if (!access) throw new Error('the share has no topic');
    const refused = 'Not authorized';
    await expect(connectTo(access, other.shareCode)).rejects.toThrow(refused);
    await expect(connectTo({ ...access, clientId: `${access.clientId}0` }, shareCode)).rejects.toThrow(refused);
    await expect(connectTo({ ...access, username: 'nobody' }, shareCode)).rejects.toThrow(refused);
    const viewer = await watch(shareCode);
    expect(viewer.messages[0]).not.toHaveProperty('broadcast');
  });

  test('ends the MQTT connection of a page that closes its socket, and refuses it from then on', async () => {
    const { shareCode } = await givenShare(partner, { maxViewers: 100 });
    const { socket, mqtt, access } = await watchTopic(shareCode);
    await socket.close();
    await mqtt.ended;
    await expect(connectTo(access, shareCode)).rejects.toThrow('Not authorized');
  });

  test('publishes nothing after it is revoked, which every page is told', async () => {
    const { shareCode } = await givenShare(partner, { maxViewers: 100 });
    const publisher = await openTelemetry(partner);
    const pages = await Promise.all([watchTopic(shareCode), watchTopic(shareCode)]);
    await publish(publisher, sampleOf(deviceId));
    await Promise.all(pages.map(({ mqtt }) => mqtt.like({ deviceId })));
    expect(await partner.call('DELETE /v3/shares/{shareCode}', { path: { shareCode } })).toMatchObject({ status: 200 });
    const sample = sampleOf(deviceId);
    await publish(publisher, sample);
    await quiet();
    for (const { socket, mqtt, access } of pages) {
      await socket.like({ shareState: 'REVOKED' });
      expect(mqtt.texts.join('')).not.toContain(sample.timestamp);
      await expect(connectTo(access, shareCode)).rejects.toThrow('Not authorized');
    }
  });

  test('has as many viewers as it has sockets, whatever they are sent', async () => {
    const { shareCode } = await givenShare(partner, { maxViewers: 51 });
    const [page] = [await watchTopic(shareCode), await watch(shareCode)];
    await until('both are counted', () =>
      page.socket.texts.join('').includes('"currentViewers":2') ? true : undefined,
    );
  });
});

test('a share with fifty places tells a page no topic', async () => {
  const { shareCode } = await givenShare(partner, { maxViewers: 50 });
  const { access, socket } = await openPage(shareCode);
  expect(access).toBeUndefined();
  const publisher = await openTelemetry(partner);
  const sample = sampleOf(deviceId);
  await publish(publisher, sample);
  await socket.like({ timestamp: sample.timestamp });
});
