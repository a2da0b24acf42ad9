import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { fleetKey } from '../../../data/fleet/fleet-key';
import { handler } from '../../../lambdas/telemetry/subscribe.lambda';
import { storeOnEngine } from '../../data/fixtures/engine';
import { lambda } from '../../data/fixtures/snapshot-function';
import { store } from '../../data/fixtures/store';
import { acme, id } from '../../domain/fixtures/samples';
import '../fixtures/log';
import { newSocket, sendMessage } from '../fixtures/socket';
import { deviceItem, partnerSession } from '../fixtures/telemetry';

const engine = storeOnEngine('connections', 'fleet');
const channel = `telemetry#${id('device')}`;
const message = { action: 'subscribe', deviceId: id('device') };
/** What is done while the subscription waits, before it fails. */
type Meanwhile = (connectionId: string) => Promise<unknown>;

/** A socket with its session. */
async function givenSocket(): Promise<string> {
  const connectionId = newSocket();
  await engine.put('fleet', { ...fleetKey(acme, id('device')), ...deviceItem(id('device')) });
  const session = { ...partnerSession({ connectionId }), channel: `session#${connectionId}` };
  await engine.put('connections', session);
  return connectionId;
}
const subscriptionOf = (connectionId: string) => engine.get('connections', { channel, connectionId });

/** How a subscription fails once it is stored. */
const failures: Readonly<Record<string, (meanwhile: () => Promise<unknown>) => void>> = {
  'nobody would know of it': (meanwhile) => {
    store.on(UpdateCommand, { TableName: 'fleet' }).callsFake(async () => {
      await meanwhile();
      throw new Error('throttled');
    });
  },
  'its snapshot cannot be requested': (meanwhile) => {
    lambda.callsFake(async () => {
      await meanwhile();
      throw new Error('Rate Exceeded.');
    });
  },
};

describe.each(Object.entries(failures))('a subscription that fails since %s', (_, fail) => {
  const subscribe = async (connectionId: string, meanwhile: Meanwhile = () => Promise.resolve()) => {
    fail(() => meanwhile(connectionId));
    expect(await sendMessage(handler, connectionId, message)).toMatchObject({ code: 'internal_error' });
  };
  const earlier = { sentSequences: { [id('device')]: 7 }, waiting: 'before', openedAt: 1, expiresAt: 2, socketId: 's' };

  test('leaves none where there was none', async () => {
    const connectionId = await givenSocket();
    await subscribe(connectionId);
    expect(await subscriptionOf(connectionId)).toBeUndefined();
  });

  test.each<[string, object]>([
    ['follows', {}],
    ['follows in batches', { batch: true }],
    ['waits for its snapshot', { bufferingSince: 3, buffered: [{ text: 'one', sequence: 1 }] }],
  ])('leaves the earlier one as it was, which %s', async (__, state) => {
    const connectionId = await givenSocket();
    const item = { channel, connectionId, ...earlier, ...state };
    await engine.put('connections', item);
    await subscribe(connectionId);
    expect(await subscriptionOf(connectionId)).toEqual(item);
  });

  test.each<[string, Meanwhile, object | undefined]>([
    [
      'one of a later message',
      (connectionId) => engine.put('connections', { channel, connectionId, waiting: 'later' }),
      { waiting: 'later' },
    ],
    [
      'one that has missed something, so that its socket is closed',
      async (connectionId) => {
        const found = await subscriptionOf(connectionId);
        await engine.put('connections', { ...found, buffered: [{ text: 'one', sequence: 1 }] });
      },
      { bufferingSince: expect.any(Number) as number, buffered: [{ text: 'one' }] },
    ],
  ])('leaves %s', async (__, meanwhile, expected) => {
    const connectionId = await givenSocket();
    await engine.put('connections', { channel, connectionId, ...earlier });
    await subscribe(connectionId, meanwhile);
    expect(await subscriptionOf(connectionId)).toMatchObject(expected ?? {});
  });
});
