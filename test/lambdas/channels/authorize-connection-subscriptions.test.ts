import { stopClock } from '../fixtures/clock';
import { ListSubscriptionsCommand } from '@aws-sdk/client-iot-data-plane';
import { listenersKey } from '../../../data/channels/listeners';
import { fleetKey } from '../../../data/fleet/fleet-key';
import { PutCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { scopes } from '../../../contract/terms/scopes';
import { sent, store } from '../../data/fixtures/store';
import { broker } from '../../data/fixtures/topics';
import { acme, id, rival } from '../../domain/fixtures/samples';
import { logLines } from '../fixtures/log';
import { clientId, connect, inSeconds, tokenWith } from '../fixtures/mqtt-connection';

const updatedTables = () => store.commandCalls(UpdateCommand).map(({ args: [{ input }] }) => input.TableName);

describe('A client that is connected already', () => {
  const topics = [`${id('job')}/JOB/STATUS`, `${id('group')}/DEVICE/STATUS`, `${id('share')}/SHARE/STATUS`];
  const mqttClientId = `${clientId}-1`;
  const givenSubscriptions = (...listed: string[]) =>
    broker
      .on(ListSubscriptionsCommand, { clientId: mqttClientId })
      .resolves({ subscriptions: listed.map((topicFilter) => ({ topicFilter, qos: 1 })) });
  const givenNotes = (...recorded: string[]) =>
    store.on(QueryCommand).resolves({
      Items: recorded.map((topic) => ({
        connectionId: `${mqttClientId} ${topic}`,
        at: Date.now(),
        subscribed: true,
        ttl: inSeconds(3600),
      })),
    });
  beforeEach(() => {
    givenNotes();
    store.on(UpdateCommand).resolves({});
    store.on(PutCommand).resolves({});
  });

  test('gets records of the subscriptions whose events were lost, and an audience until its token expires', async () => {
    const exp = inSeconds(1800);
    const halfHour = Math.ceil(exp / 1800) * 1800;
    givenSubscriptions(...topics);
    const before = Date.now();
    await connect({ token: await tokenWith(scopes, { exp }) });
    const updates = store.commandCalls(UpdateCommand).map(({ args: [{ input }] }) => input);
    expect(updates.filter(({ TableName }) => TableName !== 'connections')).toMatchObject([
      { Key: { organisation: acme, jobId: id('job') }, ExpressionAttributeValues: { ':topicUntil': halfHour } },
      { Key: fleetKey(acme, id('group')), ExpressionAttributeValues: { ':topicUntil': exp } },
      { Key: { organisation: acme, shareCode: id('share') }, ExpressionAttributeValues: { ':topicUntil': halfHour } },
    ]);
    const records = store.commandCalls(PutCommand).map(({ args: [{ input }] }) => input.Item ?? {});
    expect(records).toMatchObject(
      topics.map((topic) => ({
        channel: `mqtt#${clientId}`,
        connectionId: `${mqttClientId} ${topic}`,
        subscribed: true,
      })),
    );
    for (const { at } of records) expect(at).toBeGreaterThanOrEqual(before);
    expect(logLines()).toMatchObject([{ level: 'WARN', clientId, count: 3 }]);
  });

  test('whose subscriptions are recorded costs one query and no write, once its organisation is noted', async () => {
    givenSubscriptions(...topics);
    givenNotes(...topics);
    await connect();
    store.resetHistory();
    await connect();
    expect(sent()).toMatchObject([{ TableName: 'partners' }, { TableName: 'connections' }]);
    expect(logLines()).toEqual([]);
  });

  test('gets no audience for a topic of another organisation', async () => {
    givenSubscriptions(`${id('job', rival)}/JOB/STATUS`);
    await connect();
    expect(updatedTables()).not.toContain('jobs');
  });

  test.each([
    ['AWS IoT', () => broker.on(ListSubscriptionsCommand).rejects(new Error('throttled'))],
    ['the table', () => store.on(QueryCommand).rejects(new Error('throttled'))],
  ])('stays connected while %s fails, with a warning in the log', async (_, fail) => {
    givenSubscriptions(...topics);
    fail();
    await expect(connect()).resolves.toMatchObject({ isAuthenticated: true });
    expect(logLines()).toMatchObject([{ level: 'WARN', clientId, error: { message: 'throttled' } }]);
  });

  test('waits no longer than 1.5 s for AWS IoT', async () => {
    const isAsked = new Promise<void>((asked) => {
      broker.on(ListSubscriptionsCommand).callsFake(() => {
        asked();
        return new Promise(() => undefined);
      });
    });
    stopClock(new Date());
    const answer = connect();
    await isAsked;
    await jest.advanceTimersByTimeAsync(1499);
    expect(logLines()).toEqual([]);
    await jest.advanceTimersByTimeAsync(1);
    await expect(answer).resolves.toMatchObject({ isAuthenticated: true });
    expect(logLines()).toMatchObject([{ level: 'WARN', error: { message: 'No answer within 1500 ms' } }]);
  });
});

test('a client that connects, and has no subscriptions yet, costs one read of the partner, once its organisation is noted', async () => {
  broker.on(ListSubscriptionsCommand).rejects(Object.assign(new Error('none'), { name: 'ResourceNotFoundException' }));
  await connect();
  store.resetHistory();
  await connect();
  expect(sent()).toMatchObject([{ TableName: 'partners' }]);
  expect(logLines()).toEqual([]);
});

describe('The organisation of a client that connects', () => {
  const later = inSeconds(2 * 86_400);

  test('is noted as listening until the token expires', async () => {
    await connect({ token: await tokenWith(scopes, { exp: later }) });
    const [input] = store.commandCalls(UpdateCommand).map(({ args: [command] }) => command.input);
    expect(input).toMatchObject({ TableName: 'connections', Key: listenersKey(acme) });
    expect(input?.ExpressionAttributeValues?.[':topicUntil']).toBeGreaterThanOrEqual(later);
  });

  test('is refused as long as that can’t be noted, since commands would be missing', async () => {
    store.on(UpdateCommand).rejects(new Error('throttled'));
    await expect(connect({ token: await tokenWith(scopes, { exp: later + 86_400 }) })).resolves.toEqual({
      isAuthenticated: false,
    });
  });

  test('is not noted for a client that is refused, which is not looked for at AWS IoT either', async () => {
    await connect({ username: 'x' });
    expect(broker).not.toHaveReceivedAnyCommand();
    expect(store).not.toHaveReceivedCommand(UpdateCommand);
  });
});
