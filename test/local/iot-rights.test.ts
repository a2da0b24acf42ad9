import type { AedesPublishPacket, Client } from 'aedes';
import { EventEmitter } from 'node:events';
import { createArns } from '../../local/iot/arns';
import type { Connection, Connections } from '../../local/iot/connection';
import { openRetainedMessages } from '../../local/iot/retained';
import { createRights } from '../../local/iot/rights';
import { noQuotas } from '../../local/quotas';
import { place } from './iot-given';

describe('A retained message that is on its way to a new subscriber', () => {
  const client = new EventEmitter() as Client;
  const awaitingRetained = new Set<string>();
  const known = { clientId: 'c', filters: new Set(['state']), permits: () => true };
  const connection = { ...known, awaitingRetained } as unknown as Connection;
  beforeEach(() => awaitingRetained.add('state'));
  const connections: Connections = { of: new WeakMap([[client, connection]]), byClientId: new Map() };
  const retained = openRetainedMessages();
  const rights = createRights({
    connections,
    retained,
    arns: createArns(place),
    subscriptionsPerConnection: 50,
    quotas: noQuotas,
    log: () => undefined,
  });
  const packet = (payload: Buffer, retain: boolean) => ({ topic: 'state', payload, retain }) as AedesPublishPacket;
  const [older, newer] = [Buffer.from('older'), Buffer.from('newer')];

  it('is delivered while it is the last one', () => {
    retained.put({ topic: 'state', payload: older, qos: 1 });
    expect(rights.authorizeForward(client, packet(older, true))).toEqual(packet(older, true));
  });

  it('is dropped once another has taken its place, so that it does not arrive after that', () => {
    retained.put({ topic: 'state', payload: newer, qos: 1 });
    expect(rights.authorizeForward(client, packet(older, true))).toBeNull();
    expect(rights.authorizeForward(client, packet(newer, true))).not.toBeNull();
    expect(rights.authorizeForward(client, packet(older, false))).not.toBeNull();
  });

  it('is dropped once it was cleared', () => {
    retained.put({ topic: 'state', payload: Buffer.alloc(0), qos: 1 });
    expect(rights.authorizeForward(client, packet(newer, true))).toBeNull();
  });
});
