import type { AedesPublishPacket, Client } from 'aedes';
import { EventEmitter } from 'node:events';
import { noMeter } from '../../../billing/meter';
import { createArns } from '../../../iot/arns';
import type { Connection, Connections } from '../../../iot/broker/connection';
import { openRetainedMessages } from '../../../iot/broker/retained';
import { createAuthorizationHooks } from '../../../iot/authorization/hooks';
import { noQuotas } from '../../../quotas';
import { account } from '../fixture';

describe('A retained message for a new subscriber', () => {
  const client = new EventEmitter() as Client;
  const awaitingRetained = new Set<string>();
  const known = { clientId: 'c', filters: new Set(['state']), permits: () => true };
  const connection = { ...known, awaitingRetained } as unknown as Connection;
  beforeEach(() => awaitingRetained.add('state'));
  const connections: Connections = { of: new WeakMap([[client, connection]]), byClientId: new Map() };
  const retained = openRetainedMessages();
  const rights = createAuthorizationHooks({
    connections,
    retained,
    arns: createArns(account),
    subscriptionsPerConnection: 50,
    quotas: noQuotas,
    meter: noMeter,
    log: () => undefined,
  });
  const packet = (payload: Buffer, retain: boolean) => ({ topic: 'state', payload, retain }) as AedesPublishPacket;
  const [older, newer] = [Buffer.from('older'), Buffer.from('newer')];

  test('is delivered while it is the latest', () => {
    retained.put({ topic: 'state', payload: older, qos: 1 });
    expect(rights.authorizeForward(client, packet(older, true))).toEqual(packet(older, true));
  });

  test('is dropped when it was replaced, so that it does not arrive after the newer one', () => {
    retained.put({ topic: 'state', payload: newer, qos: 1 });
    expect(rights.authorizeForward(client, packet(older, true))).toBeNull();
    expect(rights.authorizeForward(client, packet(newer, true))).not.toBeNull();
    expect(rights.authorizeForward(client, packet(older, false))).not.toBeNull();
  });

  test('is dropped when it was cleared', () => {
    retained.put({ topic: 'state', payload: Buffer.alloc(0), qos: 1 });
    expect(rights.authorizeForward(client, packet(newer, true))).toBeNull();
  });
});
