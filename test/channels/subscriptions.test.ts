import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { MAX_SUBSCRIPTIONS, type ChannelKind } from '../../contract/channels/status-channels';
import { topicName } from '../../contract/terms/channel-addresses';
import { newId } from '../../data/store/new-id';
import { organisationOf } from '../../domain/values/id';
import { clients } from '../api/client';
import { fleetOf, givenJob, givenShare } from '../api/given';
import { database, tableNamed } from '../api/stack/aws-access';
import { connectMqtt, type Mqtt, subscribe, topicUntil } from './mqtt-client';
import { quiet, until } from './until';

describe('The limit of subscriptions', () => {
  const [partner] = clients('subscription-limit');
  const organisation = organisationOf('group', fleetOf(partner).deviceGroupId) ?? '';

  /** Limits of AWS IoT. */
  const MAX_PER_CONNECTION = 50;
  const MAX_PER_PACKET = 8;

  /** Subscribes to `count` topics: the given ones and others of new job ids. */
  async function subscribeTo(count: number, listener: Mqtt, ...named: string[]): Promise<void> {
    const others = Array.from({ length: count - named.length }, () =>
      topicName({ kind: 'job', id: newId('job', organisation) }),
    );
    const topics = [...named, ...others];
    for (let from = 0; from < topics.length; from += MAX_PER_PACKET) {
      const packet = topics.slice(from, from + MAX_PER_PACKET);
      expect(await listener.subscribe(...packet)).toEqual(packet.map(() => true));
    }
  }

  /** Waits until lifecycle events, which arrive with delay, have added up to this number of subscriptions. */
  const untilCounted = (count: number) =>
    until(
      `counting ${count} subscriptions`,
      async () => ((await countedSubscriptions()) === count ? true : undefined),
      countedSubscriptions,
    );

  async function countedSubscriptions(): Promise<number> {
    const { Items = [] } = await database().send(
      new QueryCommand({
        TableName: await tableNamed('Connections'),
        KeyConditionExpression: 'channel = :client',
        ExpressionAttributeValues: { ':client': `mqtt#${partner.credentials.clientId}` },
        ConsistentRead: true,
      }),
    );
    return Items.filter((item) => item['subscribed'] === true).length;
  }

  beforeEach(() => untilCounted(0));

  const isConnected = ({ client }: Mqtt) => client.connected;

  test('the connection with which a client exceeds 100 subscriptions is closed, and its other connections stay open', async () => {
    const { jobId } = await givenJob(partner);
    const topic = topicName({ kind: 'job', id: jobId });
    const [first, second, third] = [await connectMqtt(partner), await connectMqtt(partner), await connectMqtt(partner)];
    await subscribeTo(MAX_PER_CONNECTION, first, topic);
    await subscribeTo(MAX_SUBSCRIPTIONS - MAX_PER_CONNECTION, second, topic);
    await untilCounted(MAX_SUBSCRIPTIONS);
    expect([first, second, third].map(isConnected)).toEqual([true, true, true]);

    await subscribeTo(1, third);
    await third.ended;
    await partner.call('POST /v3/jobs/{jobId}/cancel', { path: { jobId } });
    await Promise.all([first, second].map((listener) => listener.like({ jobState: 'CANCELLED' })));
    expect([first, second].map(isConnected)).toEqual([true, true]);
  });

  test('cancelled subscriptions, and those of closed connections, no longer count', async () => {
    const [first, second, third] = [await connectMqtt(partner), await connectMqtt(partner), await connectMqtt(partner)];
    const topic = topicName({ kind: 'job', id: newId('job', organisation) });
    await subscribeTo(MAX_PER_CONNECTION, first, topic);
    await subscribeTo(MAX_PER_CONNECTION, second);
    await first.client.unsubscribeAsync(topic);
    await untilCounted(MAX_SUBSCRIPTIONS - 1);
    await subscribeTo(1, third);
    await untilCounted(MAX_SUBSCRIPTIONS);
    await second.close();
    await untilCounted(MAX_PER_CONNECTION);
    await subscribeTo(MAX_PER_CONNECTION - 1, third);
    await untilCounted(MAX_SUBSCRIPTIONS - 1);
    await quiet();
    expect([first, third].map(isConnected)).toEqual([true, true]);
  });

  test('a topic that a connection subscribes to repeatedly counts once', async () => {
    const [first, second] = [await connectMqtt(partner), await connectMqtt(partner)];
    const topic = topicName({ kind: 'job', id: newId('job', organisation) });
    await subscribeTo(MAX_PER_CONNECTION, first);
    await subscribeTo(MAX_PER_CONNECTION, second, topic);
    for (let count = 0; count < 5; count++) expect(await second.subscribe(topic)).toEqual([true]);
    await untilCounted(MAX_SUBSCRIPTIONS);
    await quiet();
    expect([first, second].map(isConnected)).toEqual([true, true]);
  });
});

describe('The audience of a topic', () => {
  const [partner] = clients('topic-audience');

  /** Every session has ended an hour after it began; the end for a job or a share is a multiple of half an hour. */
  const inAnHour = (kind: ChannelKind) => Date.now() / 1000 + 3600 + (kind === 'group' ? 0 : 1800);

  test('a subscription to a job, a share and a group notes their audience until every session has ended', async () => {
    const channels = [
      { kind: 'job', id: (await givenJob(partner)).jobId },
      { kind: 'share', id: (await givenShare(partner)).shareCode },
      { kind: 'group', id: fleetOf(partner).deviceGroupId },
    ] as const;
    const [job, share] = channels;
    for (const { kind, id } of [job, share]) expect(await topicUntil(kind, id)).toBeUndefined();
    const began = Math.floor(Date.now() / 1000);
    await subscribe(partner, ...channels.map(topicName));
    for (const { kind, id } of channels) {
      const noted = await until(`an audience of the ${kind}`, () => topicUntil(kind, id));
      expect(noted).toBeGreaterThanOrEqual(began + 3600);
      expect(noted).toBeLessThanOrEqual(inAnHour(kind) + 1);
    }
  });

  test('a subscription that is refused notes no audience', async () => {
    const [stranger] = clients('stranger');
    const { jobId } = await givenJob(stranger);
    const { jobId: own } = await givenJob(partner);
    const listener = await subscribe(partner, topicName({ kind: 'job', id: own }));
    expect(await listener.subscribe(topicName({ kind: 'job', id: jobId }))).toEqual([false]);
    await until('an audience of the own job', () => topicUntil('job', own));
    await quiet();
    expect(await topicUntil('job', jobId)).toBeUndefined();
  });
});
