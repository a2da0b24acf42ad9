import {
  addConnection,
  channelKey,
  channelOf,
  clientOfPlaces,
  findConnection,
  forgetConnection,
  isKnown,
  returnConnectionPlaces,
  takeConnectionPlace,
} from '../../../data/connections/connections';
import {
  DeleteCommand,
  GetCommand,
  PutCommand,
  QueryCommand,
  UpdateCommand,
} from '../../../data/store/document-client';
import { id } from '../../domain/fixtures/samples';
import { queue } from '../../lambdas/fixtures/telemetry';
import { connection } from '../fixtures/sockets';
import { conditionFailed, onlyCommand, sent, store } from '../fixtures/store';

const now = 1795775400;
const added = { ...connection({ openedAt: now, expiresAt: now + 3600 }), clientId: 'client1' };
const place = `${now + 3600} ${now} socket-1`;
const places = { channel: 'client#client1', connectionId: 'client#client1' };
const full = (...held: string[]) => conditionFailed({ ...places, held: new Set(held) });
/** What the store was sent, in order: the kind of write and the item. */
const done = () =>
  store.calls().map(({ args: [command] }) => {
    const { Key, Item } = command.input as { Key?: { channel: string }; Item?: { channel: string } };
    return `${command.constructor.name} ${(Key ?? Item)?.channel}`;
  });

beforeEach(() => {
  store.onAnyCommand().resolves({});
});

describe('Adding a connection', () => {
  test('takes one of its client’s places, and then notes what it follows, and that it waits for the state.', async () => {
    await addConnection(added, 50, now);
    expect(sent()).toMatchObject([
      {
        Key: places,
        UpdateExpression: expect.stringMatching(/^ADD held :place /) as string,
        ExpressionAttributeValues: { ':place': new Set([place]), ':max': 50, ':ttl': now + 86_400 },
      },
      { TableName: 'connections', Item: { ...added, waits: now, ttl: added.expiresAt + 3600 } },
    ]);
  });

  test('is refused when all places are taken, and nothing is noted.', async () => {
    store.on(UpdateCommand).rejects(full(`${now + 1} ${now} other`));
    await expect(addConnection(added, 1, now)).rejects.toMatchObject({ code: 'too_many_requests' });
    expect(store).not.toHaveReceivedCommand(PutCommand);
    expect(store).toHaveReceivedCommandTimes(UpdateCommand, 1);
  });

  test('gives its place back when what it follows can not be noted: no end will follow that would.', async () => {
    const fault = new Error('throttled');
    store.on(PutCommand).rejects(fault);
    await expect(addConnection(added, 50, now)).rejects.toBe(fault);
    expect(sent()[2]).toMatchObject({
      Key: places,
      UpdateExpression: expect.stringMatching(/^DELETE held :places /) as string,
      ExpressionAttributeValues: { ':places': new Set([place]) },
    });
  });

  test('fails as the store does: that is no refusal.', async () => {
    const fault = new Error('throttled');
    store.on(UpdateCommand).rejects(fault);
    await expect(addConnection(added, 1, now)).rejects.toBe(fault);
  });
});

describe('A place of a client', () => {
  test('is refused when others were faster with those that came back.', async () => {
    store
      .on(UpdateCommand)
      .rejectsOnce(full(`${now} 1 just`))
      .resolvesOnce({})
      .rejects(full(`${now + 1} 1 other`));
    await expect(takeConnectionPlace(added, 1, now)).rejects.toMatchObject({ code: 'too_many_requests' });
  });

  test('is given back together with others by one write.', async () => {
    await returnConnectionPlaces('client1', [added, { ...added, connectionId: 'socket-2' }]);
    expect(onlyCommand()).toMatchObject({
      Key: places,
      ExpressionAttributeValues: { ':places': new Set([place, `${now + 3600} ${now} socket-2`]) },
    });
  });

  test.each([
    ['client#client1', 'client1'],
    [`seats#${id('share')}`, undefined],
    [`job#${id('job')}`, undefined],
  ])('is counted by %s for %s.', (channel, clientId) => {
    expect(clientOfPlaces(channel)).toBe(clientId);
  });
});

describe('Forgetting a connection', () => {
  test('gives its place back before the item is deleted, or nobody would know any more whose it is.', async () => {
    await forgetConnection(added);
    expect(done()).toEqual(['UpdateItemCommand client#client1', `DeleteItemCommand ${added.channel}`]);
    expect(sent()[0]).toMatchObject({ ExpressionAttributeValues: { ':places': new Set([place]) } });
  });

  test('deletes nothing while its place can not be given back: who tries next finds it.', async () => {
    const fault = new Error('throttled');
    store.on(UpdateCommand).rejects(fault);
    await expect(forgetConnection(added)).rejects.toBe(fault);
    expect(store).not.toHaveReceivedCommand(DeleteCommand);
  });

  test('twice is no fault: the place is free already.', async () => {
    store.on(UpdateCommand).rejects(conditionFailed());
    await expect(forgetConnection(added)).resolves.toBeUndefined();
  });

  test('of a viewer gives its seat back first, and then deletes all that it follows.', async () => {
    const items = ['session#socket-1', `telemetry#${id('device')}`, `share#${id('share')}`];
    const { clientId: _, ...viewer } = connection({
      channel: items[2] as string,
      shareCode: id('share'),
      session: true,
    });
    store.on(QueryCommand).resolves({ Items: items.map((channel) => ({ ...viewer, channel })) });
    await forgetConnection(viewer);
    expect(done()).toEqual([
      `UpdateItemCommand seats#${id('share')}`,
      'QueryCommand undefined',
      ...items.map((channel) => `DeleteItemCommand ${channel}`),
    ]);
    expect(queue.calls()).toHaveLength(1);
  });
});

test.each([
  [true, { Item: added }],
  [false, {}],
])('A connection is known: %s, as the store knows it by now.', async (known, found) => {
  store.on(GetCommand).resolves(found);
  await expect(isKnown(added)).resolves.toBe(known);
  expect(onlyCommand()).toMatchObject({ ConsistentRead: true });
});

test('What a connection follows is found by its own id.', async () => {
  store.on(QueryCommand).resolves({ Items: [added] });
  await expect(findConnection('socket-1')).resolves.toEqual([added]);
  expect(onlyCommand()).toMatchObject({
    IndexName: 'by-connection',
    ExpressionAttributeValues: { ':connectionId': 'socket-1' },
  });
});

describe('The name of a channel', () => {
  test.each(['job', 'group', 'share'] as const)('of a %s is read as it was written.', (kind) => {
    const channel = { kind, id: id(kind) };
    expect(channelOf({ ...added, channel: channelKey(channel) })).toEqual(channel);
  });

  test.each(['device#x', 'job', 'job#', '#x', 'session#socket-1', 'telemetry#x'])('is none in %s.', (channel) => {
    expect(channelOf({ ...added, channel })).toBeUndefined();
  });
});
