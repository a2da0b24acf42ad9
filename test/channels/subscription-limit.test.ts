import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { MAX_SUBSCRIPTIONS, topicOf } from '../../contract/channels';
import { newId } from '../../data/store/new-id';
import { organisationOf } from '../../domain/id';
import { clients } from '../api/client';
import { fleetOf, givenJob } from '../api/given';
import { database, tableNamed } from '../api/stack/aws-access';
import { connectMqtt, type Mqtt } from './mqtt-client';
import { quiet, until } from './until';

const [partner] = clients('subscription-limit');
const organisation = organisationOf('group', fleetOf(partner).deviceGroupId) ?? '';

/** AWS IoT's own limits: subscriptions of a connection, and filters in one packet. */
const OF_A_CONNECTION = 50;
const OF_A_PACKET = 8;

/** Subscribes to topics of jobs that there may be, besides those that are named. */
async function subscribeTo(count: number, listener: Mqtt, ...named: string[]): Promise<void> {
  const others = Array.from({ length: count - named.length }, () =>
    topicOf({ kind: 'job', id: newId('job', organisation) }),
  );
  const topics = [...named, ...others];
  for (let from = 0; from < topics.length; from += OF_A_PACKET) {
    const packet = topics.slice(from, from + OF_A_PACKET);
    expect(await listener.subscribe(...packet)).toEqual(packet.map(() => true));
  }
}

/** Waits until lifecycle events have told of so many subscriptions: they come when they come. */
const untilHeld = (count: number) =>
  until(`holding ${count} subscriptions`, async () => ((await held()) === count ? true : undefined), held);

async function held(): Promise<number> {
  const { Items = [] } = await database().send(
    new QueryCommand({
      TableName: await tableNamed('Connections'),
      KeyConditionExpression: 'channel = :client',
      ExpressionAttributeValues: { ':client': `mqtt#${partner.credentials.clientId}` },
      ConsistentRead: true,
    }),
  );
  return Items.filter((item) => item['stands'] === true).length;
}

beforeEach(() => untilHeld(0));

const isConnected = ({ client }: Mqtt) => client.connected;

test('The connection with which a client goes beyond 100 subscriptions is ended, and its others hear on.', async () => {
  const { jobId } = await givenJob(partner);
  const topic = topicOf({ kind: 'job', id: jobId });
  const [first, second, third] = [await connectMqtt(partner), await connectMqtt(partner), await connectMqtt(partner)];
  await subscribeTo(OF_A_CONNECTION, first, topic);
  await subscribeTo(MAX_SUBSCRIPTIONS - OF_A_CONNECTION, second, topic);
  await untilHeld(MAX_SUBSCRIPTIONS);
  expect([first, second, third].map(isConnected)).toEqual([true, true, true]);

  await subscribeTo(1, third);
  await third.ended;
  await partner.call('POST /v3/jobs/{jobId}/cancel', { path: { jobId } });
  await Promise.all([first, second].map((listener) => listener.like({ jobState: 'CANCELLED' })));
  expect([first, second].map(isConnected)).toEqual([true, true]);
});

test('Subscriptions that were given up make room, and so do those of a connection that has ended.', async () => {
  const [first, second, third] = [await connectMqtt(partner), await connectMqtt(partner), await connectMqtt(partner)];
  const topic = topicOf({ kind: 'job', id: newId('job', organisation) });
  await subscribeTo(OF_A_CONNECTION, first, topic);
  await subscribeTo(OF_A_CONNECTION, second);
  await first.client.unsubscribeAsync(topic);
  await untilHeld(MAX_SUBSCRIPTIONS - 1);
  await subscribeTo(1, third);
  await untilHeld(MAX_SUBSCRIPTIONS);
  await second.close();
  await untilHeld(OF_A_CONNECTION);
  await subscribeTo(OF_A_CONNECTION - 1, third);
  await untilHeld(MAX_SUBSCRIPTIONS - 1);
  await quiet();
  expect([first, third].map(isConnected)).toEqual([true, true]);
});

test('A topic that is subscribed to again counts once.', async () => {
  const [first, second] = [await connectMqtt(partner), await connectMqtt(partner)];
  const topic = topicOf({ kind: 'job', id: newId('job', organisation) });
  await subscribeTo(OF_A_CONNECTION, first);
  await subscribeTo(OF_A_CONNECTION, second, topic);
  for (let count = 0; count < 5; count++) expect(await second.subscribe(topic)).toEqual([true]);
  await untilHeld(MAX_SUBSCRIPTIONS);
  await quiet();
  expect([first, second].map(isConnected)).toEqual([true, true]);
});
