import { BatchWriteCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { addConnection, takeConnectionSeat } from '../../../data/channels/connections';
import { shareSeats, takeSeat } from '../../../data/store/seats';
import { follow, openSession } from '../../../data/channels/sessions';
import { recordSubscription } from '../../../data/channels/subscriptions';
import { partnerSession, viewerSession } from '../../lambdas/fixtures/telemetry';
import { connection } from '../fixtures/sockets';
import { store } from '../fixtures/store';

const now = 1795775400;
const open = { openedAt: now, expiresAt: now + 3600 };

/** What was written: items, and of updates the key and the values. */
const written = () => [
  ...store.commandCalls(PutCommand).map(({ args: [{ input }] }) => input.Item),
  ...store
    .commandCalls(BatchWriteCommand)
    .flatMap(({ args: [{ input }] }) => input.RequestItems?.['connections'] ?? [])
    .map(({ PutRequest }) => PutRequest?.Item),
  ...store.commandCalls(UpdateCommand).map(({ args: [{ input }] }) => input as unknown as Record<string, unknown>),
];

beforeEach(() => {
  store.resolves({});
});

describe('The index by socket', () => {
  test.each<[string, () => Promise<unknown>, string, number]>([
    ['a session', () => openSession(partnerSession()), 'partner-socket', 1],
    ['a viewer', () => openSession(viewerSession()), 'viewer-socket', 3],
    ['a subscription of a socket', () => follow(partnerSession(), 'device-1', now, 'one'), 'partner-socket', 1],
  ])('has every item of %s', async (_, write, socketId, items) => {
    await write();
    expect(written()).toEqual(Array(items).fill(expect.objectContaining({ socketId, connectionId: socketId })));
  });

  test('has a connection, but not its seat', async () => {
    await addConnection({ ...connection(open), clientId: 'client1' }, 50, now);
    const [item, seat, ...more] = written();
    expect(item).toMatchObject({ socketId: 'socket-1' });
    expect(JSON.stringify(seat)).not.toContain('socketId');
    expect(more).toEqual([]);
  });

  test.each<[string, () => Promise<unknown>]>([
    ['a seat of a client', () => takeConnectionSeat({ ...connection(open), clientId: 'client1' }, 50, now)],
    ['a seat of a viewer', () => takeSeat(shareSeats('share-1'), connection(open), { max: 10, ttl: now, now })],
    ['a subscription over MQTT', () => recordSubscription('client1', 'client1-1', 'a/JOB/STATUS', true, now * 1000)],
  ])('is not touched by %s', async (_, write) => {
    await write();
    expect(written()).toHaveLength(1);
    expect(JSON.stringify(written())).not.toContain('socketId');
  });
});
