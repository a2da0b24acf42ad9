import { DeleteConnectionCommand, ListSubscriptionsCommand } from '@aws-sdk/client-iot-data-plane';
import { dataPlaneForAllTests } from './data-plane-fixture';
import { allow, answer, eventsOf } from './fixture';
import { closed, inbox, settled } from './mqtt-client';
import { until } from '../until';

describe('The data plane API of IoT Core', () => {
  const { given, admin, publish } = dataPlaneForAllTests();

  test('closes a connection, and publishes its last will unless that is prevented', async () => {
    const witness = await given.connect('anyone');
    const got = inbox(witness);
    await witness.subscribeAsync('will', { qos: 1 });
    const will = { topic: 'will', payload: Buffer.from('gone'), qos: 1 as const, retain: false };
    for (const preventWillMessage of [true, false]) {
      const client = await given.connect('anyone', { clientId: 'to/end', will });
      await admin.send(new DeleteConnectionCommand({ clientId: 'to/end', preventWillMessage }));
      await closed(client);
    }
    await until(() => got.length > 0);
    await settled(witness);
    expect(got).toEqual(['will gone']);
    expect(eventsOf(given.calls, 'disconnected')).toEqual(
      Array(2).fill(expect.objectContaining({ clientId: 'to/end', disconnectReason: 'API_INITIATED_DISCONNECT' })),
    );
  });

  test('deletes the session of a connection with cleanSession', async () => {
    const keep = () => given.connect('anyone', { clientId: 'keeper', clean: false });
    const present: unknown[] = [];
    for (const cleanSession of [false, true]) {
      const client = await keep();
      await client.subscribeAsync('kept', { qos: 1 });
      await admin.send(new DeleteConnectionCommand({ clientId: 'keeper', cleanSession }));
      await publish('kept', `after ${cleanSession}`);
      const again = await keep();
      const got = inbox(again);
      await settled(again);
      present.push([...got]);
    }
    expect(present).toEqual([['kept after false'], []]);
  });

  test('answers 404 for the connection of a client that is not connected', async () => {
    await expect(admin.send(new DeleteConnectionCommand({ clientId: 'nobody' }))).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
    });
  });

  describe('lists subscriptions', () => {
    const list = (clientId: string, more: { maxResults?: number; nextToken?: string | undefined } = {}) =>
      admin.send(new ListSubscriptionsCommand({ clientId, ...more }));

    test('of a client with any id, with their QoS, without those that were refused or cancelled', async () => {
      given.users.narrow = answer(allow('iot:*', 'client/*', 'topicfilter/own/*', 'topic/own/*'));
      const client = await given.connect('narrow', { clientId: 'to list/ä' });
      await client.subscribeAsync(['own/2', 'own/3'], { qos: 1 });
      await client.subscribeAsync('own/1', { qos: 0 });
      await expect(client.subscribeAsync('foreign/1')).rejects.toThrow();
      await client.unsubscribeAsync('own/3');
      const { subscriptions, nextToken } = await list('to list/ä');
      expect(subscriptions).toEqual([
        { topicFilter: 'own/1', qos: 0 },
        { topicFilter: 'own/2', qos: 1 },
      ]);
      expect(nextToken).toBeUndefined();
    });

    test('in pages, by default of 20', async () => {
      const client = await given.connect('anyone', { clientId: 'busy' });
      const filters = Array.from({ length: 24 }, (_, index) => `many/${index}`);
      for (let from = 0; from < filters.length; from += 8)
        await client.subscribeAsync(filters.slice(from, from + 8), { qos: 1 });
      const first = await list('busy');
      const second = await list('busy', { nextToken: first.nextToken });
      const found = [first, second].map(({ subscriptions = [] }) => subscriptions.map((one) => one.topicFilter));
      expect(found.map(({ length }) => length)).toEqual([20, 4]);
      expect(found.flat().sort()).toEqual(filters.sort());
      expect((await list('busy', { maxResults: 200 })).subscriptions).toHaveLength(24);
    });

    test('of a persistent session after its connection, and none of a clean one', async () => {
      for (const clean of [true, false]) {
        const client = await given.connect('anyone', { clientId: `clean-${clean}`, clean });
        await client.subscribeAsync('kept', { qos: 1 });
        await client.endAsync();
        await until(() =>
          eventsOf(given.calls, 'disconnected').some((event) => event['clientId'] === `clean-${clean}`),
        );
      }
      expect((await list('clean-false')).subscriptions).toEqual([{ topicFilter: 'kept', qos: 1 }]);
      await expect(list('clean-true')).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
    });

    test.each([
      ['a client that is not connected', 'nobody', {}, 'ResourceNotFoundException'],
      ['a client id that begins with $', '$nobody', {}, 'InvalidRequestException'],
      ['pages of 0', 'somebody', { maxResults: 0 }, 'InvalidRequestException'],
      ['pages of 201', 'somebody', { maxResults: 201 }, 'InvalidRequestException'],
    ])('but not for %s', async (_what, clientId, more, name) => {
      await given.connect('anyone', { clientId: 'somebody' });
      await expect(list(clientId, more)).rejects.toMatchObject({ name });
    });
  });
});
