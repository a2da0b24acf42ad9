import { SendMessageCommand } from '@aws-sdk/client-sqs';
import {
  BatchWriteCommand,
  DeleteCommand,
  GetCommand,
  PutCommand,
  QueryCommand,
  UpdateCommand,
} from '../../../data/store/document-client';
import '../fixtures/issuer';
import { shareProtocols } from '../../../contract/telemetry';
import { handler } from '../../../lambdas/socket/connect';
import { openPartnerSession } from '../../../lambdas/channel/open-session';
import { acme, id } from '../../domain/fixtures/samples';
import { askedFor, greeter } from '../../data/fixtures/greeter';
import { conditionFailed, sent, store } from '../../data/fixtures/store';
import { written } from '../fixtures/log';
import { throughCloudFront } from '../fixtures/origin';
import { later, queue, shareItem } from '../fixtures/telemetry';

const shareCode = id('share');
/** What the handshake of the telemetry endpoint is answered with. */
const open = (query: Record<string, string>, headers: Record<string, string> = {}) =>
  handler({
    headers: { ...throughCloudFront, ...headers },
    queryStringParameters: { channel: 'telemetry', ...query },
    requestContext: { connectionId: 'socket', requestId: 'request-1' },
  } as never);
/** The same, as a page makes it. */
const openPage = (protocols: readonly string[] = Object.values(shareProtocols)) =>
  open({ shareCode }, { 'Sec-WebSocket-Protocol': protocols.join(', ') });
const agreedOn = (protocol: string) => ({ statusCode: 200, headers: { 'Sec-WebSocket-Protocol': protocol } });
const seats = { channel: `seats#${shareCode}`, connectionId: `seats#${shareCode}` };
const full = () => conditionFailed({ ...seats, held: new Set([`${later} 1 other`]) });
const written_ = () => written.join('');
/** What a viewer is told whose share goes before it is noted. */
const lastWord = (): unknown =>
  expect.stringMatching(/"shareState":"REVOKED".*"currentViewers":0|"currentViewers":0.*"shareState":"REVOKED"/);
/** What has been done to the seats of the share, in order: `ADD`, `DELETE`. */
const atSeats = () =>
  store
    .commandCalls(UpdateCommand, { Key: seats })
    .map(({ args: [{ input }] }) => input.UpdateExpression?.split(' ', 1)[0]);
/** Lets the connections table know what has been noted of the socket. */
const givenNoted = () =>
  store.on(QueryCommand, { IndexName: 'by-connection' }).resolves({
    Items: ['session#socket', `share#${shareCode}`].map((channel) => ({
      ...{ channel, connectionId: 'socket', shareCode, session: true, openedAt: 1, expiresAt: later },
    })),
  });
const forgotten = () =>
  store.commandCalls(DeleteCommand).map(({ args: [{ input }] }) => input.Key?.['channel'] as string);

beforeEach(() => {
  store.resolves({});
  store.on(GetCommand, { TableName: 'shares' }).resolves({ Item: shareItem() });
  store.on(UpdateCommand, { TableName: 'requests' }).resolves({ Attributes: { calls: 1 } });
  // Nobody has been asked to count yet; then somebody has.
  store
    .on(UpdateCommand, { Key: seats })
    .resolvesOnce({})
    .resolves({ Attributes: { ...seats, recount: true } });
});

describe('A viewer with a share code', () => {
  test('takes a place, and is noted with what the share permits and for how long.', async () => {
    expect(await open({ shareCode })).toEqual({ statusCode: 200 });
    expect(atSeats()).toEqual(['ADD']);
    const { RequestItems } = sent().at(-1) as { RequestItems: { connections: object[] } };
    expect(RequestItems.connections).toHaveLength(3);
    expect(RequestItems.connections[0]).toMatchObject({
      PutRequest: {
        Item: { kind: 'viewer', shareCode, deviceId: id('device'), organisation: acme, permissions: ['view'] },
      },
    });
  });

  test('is told the state by an invocation for it alone, and counted a second later.', async () => {
    await open({ shareCode });
    expect(askedFor()).toEqual([{ kind: 'viewer', connectionId: 'socket', end: lastWord() }]);
    expect(queue).toHaveReceivedCommandTimes(SendMessageCommand, 1);
    expect(queue).toHaveReceivedCommandWith(SendMessageCommand, { MessageBody: JSON.stringify({ shareCode }) });
  });

  test.each([
    ['is unknown', id('share', 'nobody00')],
    ['has expired', shareCode],
  ])('that %s is refused with 404 after one read.', async (_, guess) => {
    const expired = shareItem({ expiresAt: '2026-01-01T00:00:00.000Z' });
    store.on(GetCommand, { TableName: 'shares' }).resolves(guess === shareCode ? { Item: expired } : {});
    expect(await open({ shareCode: guess })).toMatchObject({ statusCode: 404 });
    expect(sent()).toHaveLength(1);
  });

  test('of an organisation that is suspended is refused with 404 before it takes a place, and a page is told so.', async () => {
    store.on(GetCommand, { TableName: 'partners', Key: { clientId: `org-${acme}` } }).resolves({
      Item: { organisation: acme, status: 'suspended' },
    });
    expect(await open({ shareCode })).toMatchObject({ statusCode: 404 });
    expect(store).not.toHaveReceivedCommand(UpdateCommand);
    expect(await openPage()).toEqual(agreedOn('share.not-found'));
    expect(store).not.toHaveReceivedCommand(PutCommand);
  });

  test('that can be none is refused with 404 without asking the store.', async () => {
    for (const guess of ['x', id('job'), `${shareCode}#`, '../..'])
      expect(await open({ shareCode: guess })).toMatchObject({ statusCode: 404 });
    expect(sent()).toEqual([]);
  });

  test('of a share that is full is refused with 429.', async () => {
    store.on(UpdateCommand, { Key: seats }).rejects(full());
    expect(await open({ shareCode })).toMatchObject({ statusCode: 429 });
    expect(store).not.toHaveReceivedCommand(BatchWriteCommand);
    expect(askedFor()).toEqual([]);
  });

  test('of a share that has let in all that it may in this minute is refused with 429 before it takes a place.', async () => {
    const busy = id('share', acme, '01jd00000000000000000busy0');
    const item = shareItem({ shareCode: busy, maxViewers: 5 });
    store.on(GetCommand, { TableName: 'shares' }).resolves({ Item: item });
    store.on(UpdateCommand, { TableName: 'requests' }).rejects(conditionFailed({ calls: 65 }));
    expect(await open({ shareCode: busy })).toMatchObject({ statusCode: 429 });
    const [{ args: [{ input }] } = { args: [{ input: {} }] }] = store.commandCalls(UpdateCommand);
    expect(input).toMatchObject({ ExpressionAttributeValues: { ':most': 65 } });
    expect(
      await open({ shareCode: busy }, { 'Sec-WebSocket-Protocol': Object.values(shareProtocols).join(', ') }),
    ).toMatchObject({ statusCode: 429 });
    expect(store).toHaveReceivedCommandTimes(UpdateCommand, 1);
    expect(greeter).not.toHaveReceivedAnyCommand();
  });

  test.each([
    ['it can not be noted', () => store.on(BatchWriteCommand).rejects(new Error('throttled'))],
    [
      'not all of it can be noted',
      () =>
        store.on(BatchWriteCommand).resolves({ UnprocessedItems: { connections: [{ DeleteRequest: { Key: {} } }] } }),
    ],
    ['the state can not be asked for', () => greeter.rejects(new Error('Rate Exceeded.'))],
    ['nobody can be asked to count it', () => queue.rejects(new Error('no queue'))],
  ])('gives its seat back, and is forgotten after that, when %s.', async (_, given) => {
    givenNoted();
    given();
    expect(await open({ shareCode })).toEqual({ statusCode: 500 });
    expect(atSeats()).toEqual(['ADD', 'DELETE']);
    const [taken, returned] = store.commandCalls(UpdateCommand, { Key: seats }).map(({ args: [{ input }] }) => input);
    expect(returned?.ExpressionAttributeValues?.[':places']).toEqual(taken?.ExpressionAttributeValues?.[':place']);
    expect(forgotten()).toEqual(['session#socket', `share#${shareCode}`]);
  });

  test('is in no log, whether let in or not.', async () => {
    await open({ shareCode });
    await open({ shareCode: id('share', 'nobody00') });
    expect(written_()).toContain('handshake');
    expect(written_()).not.toMatch(/share-/);
  });
});

describe('A page', () => {
  test('with a share code that there is not costs one read, and writes nothing.', async () => {
    store.on(GetCommand, { TableName: 'shares' }).resolves({});
    expect(await openPage()).toEqual(agreedOn('share.not-found'));
    expect(store.calls()).toHaveLength(1);
    expect(store).toHaveReceivedCommandTimes(GetCommand, 1);
    expect(greeter).not.toHaveReceivedAnyCommand();
  });

  test.each([
    ['too_many_viewers', 'share.full', () => store.on(UpdateCommand, { Key: seats }).rejects(full())],
    ['share_not_found', 'share.not-found', () => store.on(GetCommand, { TableName: 'shares' }).resolves({})],
  ])(
    'that is refused for %s is let in with %s, greeted by nobody and noted nowhere.',
    async (reason, agreed, given) => {
      given();
      expect(await openPage()).toEqual(agreedOn(agreed));
      expect(written_()).toContain(`"reason":"${reason}"`);
      expect(greeter).not.toHaveReceivedAnyCommand();
      expect(store).not.toHaveReceivedCommand(PutCommand);
      expect(store).not.toHaveReceivedCommand(BatchWriteCommand);
      expect(queue).not.toHaveReceivedAnyCommand();
    },
  );

  test.each([['share'], ['share.full'], ['other'], ['']])(
    'that offers only «%s» is refused by the handshake.',
    async (offered) => {
      store.on(GetCommand, { TableName: 'shares' }).resolves({});
      expect(await openPage([offered])).toMatchObject({ statusCode: 404 });
    },
  );

  test('fails by the handshake when the store does.', async () => {
    store.on(GetCommand, { TableName: 'shares' }).rejects(new Error('down'));
    expect(await openPage()).toEqual({ statusCode: 500 });
  });

  test('may watch as any viewer, and knows it by the subprotocol.', async () => {
    expect(await openPage()).toEqual(agreedOn('share'));
    expect(store).toHaveReceivedCommandTimes(BatchWriteCommand, 1);
    expect(askedFor()).toEqual([{ kind: 'viewer', connectionId: 'socket', end: lastWord() }]);
  });
});

test.each([{}, { shareCode: '' }, { channel: 'job', id: id('job'), shareCode }])(
  'Who comes with %j has neither token nor share: 401.',
  async (query) => {
    expect(await open(query)).toMatchObject({ statusCode: 401 });
    expect(sent()).toEqual([]);
  },
);

describe('A partner', () => {
  const now = new Date('2026-11-27T10:30:00.000Z');
  const seconds = now.getTime() / 1000;
  const identity = (scopes: string[], expiresAt = seconds + 3600) =>
    ({ clientId: 'client1', organisation: acme, scopes, expiresAt }) as never;

  test.each([['resources:read'], ['stream:publish']])(
    'with the scope %s is let in, as long as its token stands.',
    async (scope) => {
      await openPartnerSession('socket', identity([scope, 'command:read']), now);
      expect(sent()[0]).toMatchObject({ Key: { channel: 'client#client1', connectionId: 'client#client1' } });
      const [, { RequestItems }] = sent() as [unknown, { RequestItems: { connections: object[] } }];
      const Item = { kind: 'partner', clientId: 'client1', openedAt: seconds, expiresAt: seconds + 3600 };
      expect(RequestItems.connections).toMatchObject([{ PutRequest: { Item } }]);
    },
  );

  test('is let in for two hours at the most.', async () => {
    await openPartnerSession('socket', identity(['resources:read'], seconds + 9000), now);
    const [, { RequestItems }] = sent() as [unknown, { RequestItems: { connections: object[] } }];
    expect(RequestItems.connections).toMatchObject([{ PutRequest: { Item: { expiresAt: seconds + 7200 } } }]);
  });

  test('without either scope is refused before it takes a place.', async () => {
    const opened = openPartnerSession('socket', identity(['command:read', 'share:read']), now);
    await expect(opened).rejects.toMatchObject({ code: 'forbidden' });
    expect(sent()).toEqual([]);
  });

  test('with too many connections is refused.', async () => {
    const held = new Set(Array.from({ length: 50 }, (_, index) => `${seconds + 60} ${seconds} ${index}`));
    store.on(UpdateCommand).rejects(conditionFailed({ held }));
    const opened = openPartnerSession('socket', identity(['resources:read']), now);
    await expect(opened).rejects.toMatchObject({ code: 'too_many_requests' });
    expect(store).not.toHaveReceivedCommand(BatchWriteCommand);
  });

  test('gives its place back when it can not be noted: no end will follow that would.', async () => {
    const fault = new Error('throttled');
    store.on(BatchWriteCommand).rejects(fault);
    await expect(openPartnerSession('socket', identity(['resources:read']), now)).rejects.toBe(fault);
    const [taken, returned, ...more] = store.commandCalls(UpdateCommand).map(({ args: [{ input }] }) => input);
    expect(returned?.Key).toEqual(taken?.Key);
    expect(returned?.ExpressionAttributeValues?.[':places']).toEqual(taken?.ExpressionAttributeValues?.[':place']);
    expect(more).toEqual([]);
  });
});
