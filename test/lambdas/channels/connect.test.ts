import { ThrottlingException } from '@aws-sdk/client-dynamodb';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { BatchWriteCommand, DeleteCommand, GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { stopClock } from '../fixtures/clock';
import { fleetKey } from '../../../data/fleet/fleet-key';
import '../fixtures/issuer';
import { shareProtocols } from '../../../contract/shares/viewer-protocol';
import { handler } from '../../../lambdas/channels/connect.lambda';
import { acme, id } from '../../domain/fixtures/samples';
import { snapshotRequests, lambda } from '../../data/fixtures/snapshot-function';
import { storeOnEngine } from '../../data/fixtures/engine';
import { conditionFailed, sent, store } from '../../data/fixtures/store';
import { written } from '../fixtures/log';
import { throughCloudFront } from '../fixtures/api-gateway';
import { later, queue, shareItem } from '../fixtures/telemetry';
import { ORIGIN_VERIFY } from '../../../contract/channels/origin-verify';

describe('Connect', () => {
  const engine = storeOnEngine('connections');
  const shareCode = id('share');
  /** The answer to a handshake of the telemetry endpoint. */
  const open = (query: Record<string, string>, headers: Record<string, string> = {}) =>
    handler({
      headers: { ...throughCloudFront, ...headers },
      queryStringParameters: { channel: 'telemetry', ...query },
      requestContext: { connectionId: 'socket', requestId: 'request-1' },
    } as never);
  /** The answer to a handshake of the share page, which offers subprotocols. */
  const openPage = (protocols: readonly string[] = Object.values(shareProtocols)) =>
    open({ shareCode }, { 'Sec-WebSocket-Protocol': protocols.join(', ') });
  const acceptedWith = (protocol: string) => ({ statusCode: 200, headers: { 'Sec-WebSocket-Protocol': protocol } });
  const seats = { channel: `seats#${shareCode}`, connectionId: `seats#${shareCode}` };
  /** Viewers take all seats of the share. */
  const givenFull = () =>
    engine.put('connections', {
      ...seats,
      seats: new Set(Array.from({ length: shareItem().maxViewers }, (_, index) => `${later} 1 other-${index}`)),
    });
  const logText = () => written.join('');
  /** The final message of a share that is deleted before the viewer is stored. */
  const finalMessage = (): unknown =>
    expect.stringMatching(/"shareState":"REVOKED".*"currentViewers":0|"currentViewers":0.*"shareState":"REVOKED"/);
  const throttled = () =>
    new ThrottlingException({ message: 'Throughput exceeds the current capacity', $metadata: {} });
  /** How many updates the share's seats have received, and how many seats are taken. */
  const seatUpdates = () => store.commandCalls(UpdateCommand, { Key: seats }).length;
  const seatsTaken = async () =>
    ((await engine.get('connections', seats))?.['seats'] as Set<string> | undefined)?.size ?? 0;
  /** The items of the socket. */
  const socketItems = async () => (await engine.all('connections')).filter((item) => 'socketId' in item);
  const noted = () => store.commandCalls(UpdateCommand, { TableName: 'fleet' }).map(({ args: [{ input }] }) => input);

  beforeEach(() => {
    store.on(GetCommand, { TableName: 'partners' }).resolves({});
    store.on(GetCommand, { TableName: 'shares' }).resolves({ Item: shareItem() });
    store.on(UpdateCommand, { TableName: 'fleet' }).resolves({});
    store.on(UpdateCommand, { TableName: 'requests' }).resolves({ Attributes: { calls: 1 } });
  });

  describe('A viewer with a share code', () => {
    /** Lets the writes of items fail, though the items are stored. */
    const failBatches = (error: Error) =>
      store.on(BatchWriteCommand).callsFake(async (input: object) => {
        await engine.answers('BatchWriteCommand')(input);
        throw error;
      });

    test('takes a seat, and is stored with the permissions of the share', async () => {
      expect(await open({ shareCode })).toEqual({ statusCode: 200 });
      expect([seatUpdates(), await seatsTaken()]).toEqual([1, 1]);
      const items = await socketItems();
      expect(items.map(({ channel }) => channel).toSorted()).toEqual([
        'session#socket',
        `share#${shareCode}`,
        `telemetry#${id('device')}`,
      ]);
      expect(items.find(({ kind }) => kind)).toMatchObject({
        kind: 'viewer',
        shareCode,
        deviceId: id('device'),
        organisation: acme,
        permissions: ['view'],
      });
    });

    test('receives nothing after the end of the share, to the millisecond', async () => {
      const end = Math.ceil(Date.now() / 1000) + 60 + 0.123;
      const item = shareItem({ expiresAt: new Date(end * 1000).toISOString() });
      store.on(GetCommand, { TableName: 'shares' }).resolves({ Item: item });
      await open({ shareCode });
      expect((await socketItems()).map(({ expiresAt }) => expiresAt)).toEqual([end, end, end]);
      expect(noted()).toMatchObject([{ ExpressionAttributeValues: { ':socketsUntil': Math.ceil(end) } }]);
    });

    test('is noted as a follower of the device until the share ends', async () => {
      await open({ shareCode });
      expect(noted()).toMatchObject([
        { Key: fleetKey(acme, id('device')), ExpressionAttributeNames: { '#socketsUntil': 'socketsUntil' } },
      ]);
    });

    test('requests a snapshot by an invocation of its own, and a viewer count a second later', async () => {
      await open({ shareCode });
      expect(snapshotRequests()).toEqual([
        { kind: 'viewer', connectionId: 'socket', end: finalMessage(), isUnnoticed: true },
      ]);
      expect(queue).toHaveReceivedCommandTimes(SendMessageCommand, 1);
      expect(queue).toHaveReceivedCommandWith(SendMessageCommand, { MessageBody: JSON.stringify({ shareCode }) });
    });

    test.each([
      ['is unknown', id('share', 'nobody00')],
      ['has expired', shareCode],
    ])('that %s is refused with 404 after one read', async (_, guess) => {
      const expired = shareItem({ expiresAt: '2026-01-01T00:00:00.000Z' });
      store.on(GetCommand, { TableName: 'shares' }).resolves(guess === shareCode ? { Item: expired } : {});
      expect(await open({ shareCode: guess })).toMatchObject({ statusCode: 404 });
      expect(sent()).toHaveLength(1);
    });

    test('of a suspended organisation is refused with 404 before a seat is taken, on a page by subprotocol', async () => {
      store.on(GetCommand, { TableName: 'partners', Key: { clientId: `org-${acme}` } }).resolves({
        Item: { organisation: acme, status: 'suspended' },
      });
      expect(await open({ shareCode })).toMatchObject({ statusCode: 404 });
      expect(store).not.toHaveReceivedCommand(UpdateCommand);
      expect(await openPage()).toEqual(acceptedWith('share.not-found'));
      expect(store).not.toHaveReceivedCommand(PutCommand);
    });

    test('that is invalid is refused with 404 without a read', async () => {
      for (const guess of ['x', id('job'), `${shareCode}#`, '../..'])
        expect(await open({ shareCode: guess })).toMatchObject({ statusCode: 404 });
      expect(sent()).toEqual([]);
    });

    test('of a full share is refused with 429', async () => {
      await givenFull();
      expect(await open({ shareCode })).toMatchObject({ statusCode: 429 });
      expect(store).not.toHaveReceivedCommand(BatchWriteCommand);
      expect(snapshotRequests()).toEqual([]);
    });

    test('of a share at its limit of new viewers a minute is refused with 429 before a seat is taken', async () => {
      // Both handshakes are in one minute.
      stopClock(new Date('2026-11-27T10:30:00.000Z'));
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
      expect(lambda).not.toHaveReceivedAnyCommand();
    });

    test.each([
      ['it cannot be stored', 500, () => failBatches(new Error('no answer'))],
      ['DynamoDB is throttled', 429, () => failBatches(throttled())],
      [
        'not all of its items can be stored',
        429,
        () =>
          store.on(BatchWriteCommand).resolves({ UnprocessedItems: { connections: [{ DeleteRequest: { Key: {} } }] } }),
      ],
      ['the snapshot cannot be requested', 500, () => lambda.rejects(new Error('Rate Exceeded.'))],
      ['the viewer count cannot be requested', 500, () => queue.rejects(new Error('no queue'))],
    ])('releases its seat and then deletes its items when %s: %d', async (_, statusCode, given) => {
      given();
      const takenAtDeletion: number[] = [];
      store.on(DeleteCommand).callsFake(async (input: object) => {
        takenAtDeletion.push(await seatsTaken());
        return engine.answers('DeleteCommand')(input);
      });
      expect(await open({ shareCode })).toMatchObject({ statusCode });
      expect([seatUpdates(), await seatsTaken()]).toEqual([2, 0]);
      expect(await socketItems()).toEqual([]);
      expect(takenAtDeletion).toEqual(takenAtDeletion.map(() => 0));
    });

    test('is stored when a batch left its items out at first', async () => {
      const UnprocessedItems = { connections: [{ DeleteRequest: { Key: { channel: 'left out' } } }] };
      store.on(BatchWriteCommand).resolvesOnce({ UnprocessedItems }).resolves({});
      expect(await open({ shareCode })).toMatchObject({ statusCode: 200 });
      const [, again] = store.commandCalls(BatchWriteCommand).map(({ args: [{ input }] }) => input.RequestItems);
      expect(again).toEqual(UnprocessedItems);
    });

    test.each([
      ['its share', () => store.on(GetCommand, { TableName: 'shares' }).rejects(throttled())],
      ['its limit of handshakes', () => store.on(UpdateCommand, { TableName: 'requests' }).rejects(throttled())],
      ['its seat', () => store.on(UpdateCommand, { Key: seats }).rejects(throttled())],
    ])('is refused with 429 while DynamoDB is throttled for %s', async (_, given) => {
      given();
      expect(await open({ shareCode })).toMatchObject({ statusCode: 429 });
      expect(lambda).not.toHaveReceivedAnyCommand();
    });

    test('is in no log, whether accepted or refused', async () => {
      await open({ shareCode });
      await open({ shareCode: id('share', 'nobody00') });
      expect(logText()).toContain('handshake');
      expect(logText()).not.toMatch(/share-/);
    });
  });

  describe('A share page', () => {
    test('with an unknown share code costs one read and no write', async () => {
      store.on(GetCommand, { TableName: 'shares' }).resolves({});
      expect(await openPage()).toEqual(acceptedWith('share.not-found'));
      expect(store.calls()).toHaveLength(1);
      expect(store).toHaveReceivedCommandTimes(GetCommand, 1);
      expect(lambda).not.toHaveReceivedAnyCommand();
    });

    test.each([
      ['too_many_viewers', 'share.full', givenFull],
      ['share_not_found', 'share.not-found', () => store.on(GetCommand, { TableName: 'shares' }).resolves({})],
    ])(
      'that is refused for %s gets the subprotocol %s, without a write or an invocation',
      async (reason, protocol, given) => {
        await given();
        expect(await openPage()).toEqual(acceptedWith(protocol));
        expect(logText()).toContain(`"reason":"${reason}"`);
        expect(lambda).not.toHaveReceivedAnyCommand();
        expect(store).not.toHaveReceivedCommand(PutCommand);
        expect(store).not.toHaveReceivedCommand(BatchWriteCommand);
        expect(queue).not.toHaveReceivedAnyCommand();
      },
    );

    test.each([['share'], ['share.full'], ['other'], ['']])(
      'that offers only the subprotocol "%s" is refused by the status of the handshake',
      async (offered) => {
        store.on(GetCommand, { TableName: 'shares' }).resolves({});
        expect(await openPage([offered])).toMatchObject({ statusCode: 404 });
      },
    );

    test('gets a failed handshake when the table fails', async () => {
      store.on(GetCommand, { TableName: 'shares' }).rejects(new Error('down'));
      expect(await openPage()).toEqual({ statusCode: 500 });
    });

    test('is accepted like any viewer, with the subprotocol share', async () => {
      expect(await openPage()).toEqual(acceptedWith('share'));
      expect(store).toHaveReceivedCommandTimes(BatchWriteCommand, 1);
      expect(snapshotRequests()).toEqual([
        { kind: 'viewer', connectionId: 'socket', end: finalMessage(), isUnnoticed: true },
      ]);
    });
  });

  test.each([{}, { shareCode: '' }, { channel: 'job', id: id('job'), shareCode }])(
    'a handshake with %j has neither token nor share code: 401',
    async (query) => {
      expect(await open(query)).toMatchObject({ statusCode: 401 });
      expect(sent()).toEqual([]);
    },
  );
});

describe('A handshake at the WebSocket API’s own address, bypassing CloudFront and its web ACL', () => {
  const secret = throughCloudFront[ORIGIN_VERIFY];
  const handshake = async (headers: Record<string, string>) => {
    const { statusCode } = await handler({
      headers,
      queryStringParameters: { channel: 'telemetry', shareCode: id('share') },
      requestContext: { connectionId: 'socket', requestId: 'request-1' },
    } as never);
    return statusCode;
  };

  beforeEach(() => {
    store.resolves({});
    store.on(GetCommand, { TableName: 'shares' }).resolves({ Item: shareItem() });
    store.on(UpdateCommand, { TableName: 'requests' }).resolves({ Attributes: { calls: 1 } });
  });

  test.each([
    ['without the header that CloudFront adds', {}],
    ['with an empty header', { [ORIGIN_VERIFY]: '' }],
    ['with a guess', { [ORIGIN_VERIFY]: `${secret.slice(0, -1)}x` }],
    ['with more than the secret', { [ORIGIN_VERIFY]: `${secret},${secret}` }],
  ])('is refused %s, without a read', async (_, headers: Record<string, string>) => {
    expect(await handshake(headers)).toBe(403);
    expect(sent()).toEqual([]);
  });

  test('is accepted with the secret, whatever the case of the header name', async () => {
    expect(await handshake({ 'X-Origin-Verify': secret })).toBe(200);
    expect(snapshotRequests()).toMatchObject([{ kind: 'viewer', connectionId: 'socket' }]);
  });

  test('leaves no secret in the log', async () => {
    await handshake({ [ORIGIN_VERIFY]: secret });
    await handshake({ [ORIGIN_VERIFY]: 'another-guess' });
    expect(written.join('')).toContain('forbidden');
    expect(written.join('')).not.toContain(secret);
    expect(written.join('')).not.toContain('another-guess');
  });

  test('fails with 500 while the function has no secret', async () => {
    delete process.env['ORIGIN_SECRET'];
    expect(await handshake({})).toBe(500);
    process.env['ORIGIN_SECRET'] = secret;
    expect(written.join('')).toContain('ORIGIN_SECRET is not set');
  });
});
