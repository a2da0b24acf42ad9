import { BatchWriteCommand, GetCommand, PutCommand, UpdateCommand } from '../../../data/documents';
import '../fixtures/issuer';
import { handler } from '../../../lambdas/socket/connect';
import { openPartnerSession } from '../../../lambdas/socket/open-session';
import { acme, id } from '../../domain/fixtures/samples';
import { conditionFailed, sent, store } from '../../data/fixtures/store';
import { written } from '../fixtures/log';
import { later, shareItem } from '../fixtures/telemetry';

const shareCode = id('share');
/** What the handshake of the telemetry endpoint is answered with. */
const open = (query: Record<string, string>) =>
  handler({
    headers: {},
    queryStringParameters: { channel: 'telemetry', ...query },
    requestContext: { connectionId: 'socket', requestId: 'request-1' },
  } as never);
const full = () => conditionFailed(shareItem({ viewers: new Set([`${later} other`]) }));
const written_ = () => written.join('');

beforeEach(() => {
  store.resolves({});
  store.on(GetCommand, { TableName: 'shares' }).resolves({ Item: shareItem() });
  store.on(UpdateCommand, { TableName: 'shares' }).resolves({ Attributes: shareItem() });
});

describe('A viewer with a share code', () => {
  test('takes a place, and is noted with what the share permits and for how long.', async () => {
    expect(await open({ shareCode })).toEqual({ statusCode: 200 });
    expect(store).toHaveReceivedCommandTimes(UpdateCommand, 1);
    const { RequestItems } = sent().at(-1) as { RequestItems: { connections: object[] } };
    expect(RequestItems.connections).toHaveLength(3);
    expect(RequestItems.connections[0]).toMatchObject({
      PutRequest: {
        Item: { kind: 'viewer', shareCode, deviceId: id('device'), organisation: acme, permissions: ['view'] },
      },
    });
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
    expect(await open({ shareCode, page: '1' })).toEqual({ statusCode: 200 });
    const Item = expect.objectContaining({ channel: 'refused#share_not_found' }) as object;
    expect(store).toHaveReceivedCommandWith(PutCommand, { Item });
  });

  test('that can be none is refused with 404 without asking the store.', async () => {
    for (const guess of ['x', id('job'), `${shareCode}#`, '../..'])
      expect(await open({ shareCode: guess })).toMatchObject({ statusCode: 404 });
    expect(sent()).toEqual([]);
  });

  test('of a share that is full is refused with 429.', async () => {
    store.on(UpdateCommand, { TableName: 'shares' }).rejects(full());
    expect(await open({ shareCode })).toMatchObject({ statusCode: 429 });
    expect(store).not.toHaveReceivedCommand(BatchWriteCommand);
  });

  test('gives the place back when the handshake fails after all.', async () => {
    store.on(BatchWriteCommand).rejects(new Error('no store'));
    expect(await open({ shareCode })).toEqual({ statusCode: 500 });
    const expressions = sent().map(({ UpdateExpression }) => UpdateExpression);
    expect(expressions.at(-1)).toBe('DELETE viewers :places ADD version :one');
  });

  test('is in no log, whether let in or not.', async () => {
    await open({ shareCode });
    await open({ shareCode: id('share', 'nobody00') });
    expect(written_()).toContain('handshake');
    expect(written_()).not.toMatch(/share-/);
  });
});

describe('A page', () => {
  test('with a share code that there is not costs one read, and the note of what it is told.', async () => {
    store.on(GetCommand, { TableName: 'shares' }).resolves({});
    expect(await open({ shareCode, page: '1' })).toEqual({ statusCode: 200 });
    expect(store).toHaveReceivedCommandTimes(GetCommand, 1);
    expect(store).toHaveReceivedCommandTimes(PutCommand, 1);
    expect(sent()).toHaveLength(2);
  });

  test.each([
    ['too_many_viewers', () => store.on(UpdateCommand, { TableName: 'shares' }).rejects(full())],
    ['share_not_found', () => store.on(GetCommand, { TableName: 'shares' }).resolves({})],
  ])('that is refused for %s is let in to be told so.', async (code, given) => {
    given();
    expect(await open({ shareCode, page: '1' })).toEqual({ statusCode: 200 });
    expect(store).toHaveReceivedCommandWith(PutCommand, {
      Item: expect.objectContaining({ channel: `refused#${code}`, connectionId: 'socket' }) as object,
    });
  });

  test('that may watch is let in as any viewer.', async () => {
    expect(await open({ shareCode, page: '1' })).toEqual({ statusCode: 200 });
    expect(store).not.toHaveReceivedCommand(PutCommand);
    expect(store).toHaveReceivedCommandTimes(BatchWriteCommand, 1);
  });
});

test.each([{}, { shareCode: '' }, { page: '1' }, { channel: 'job', id: id('job'), shareCode }])(
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
      expect(sent()[0]).toMatchObject({ Key: { channel: 'client#client1', connectionId: 'slots' } });
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
    const held = new Set(Array.from({ length: 50 }, (_, index) => `${seconds + 60} ${index}`));
    store.on(UpdateCommand).rejects(conditionFailed({ held }));
    const opened = openPartnerSession('socket', identity(['resources:read']), now);
    await expect(opened).rejects.toMatchObject({ code: 'too_many_requests' });
    expect(store).not.toHaveReceivedCommand(BatchWriteCommand);
  });
});
