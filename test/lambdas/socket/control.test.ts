import { PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { handler } from '../../../lambdas/socket/control';
import { shareIdOf } from '../../../data/shares/share-id';
import { acme, id } from '../../domain/fixtures/samples';
import { store } from '../../data/fixtures/store';
import { givenViewer, refused } from '../fixtures/actions';
import { logLines, written } from '../fixtures/log';
import { sendMessage } from '../fixtures/socket';
import { bus, later, newDeviceId, shareItem } from '../fixtures/telemetry';

describe('control', () => {
  const message = { action: 'control', command: { name: 'GO_TO', altitude: 40 }, id: 1 };

  const ulid = expect.stringMatching(/^[0-9a-hjkmnp-tv-z]{26}$/) as string;
  const counted = (who: RegExp) =>
    store
      .commandCalls(UpdateCommand, { TableName: 'requests' })
      .filter(({ args: [{ input }] }) => who.test(String(input.Key?.['id']))).length;

  test('publishes the command to the platform with the digest of the share code', async () => {
    const socket = givenViewer();
    const answered = await sendMessage(handler, socket, message);
    expect(answered).toEqual({ type: 'accepted', requestId: ulid, id: 1 });
    const { requestId } = answered;
    const shareId = shareIdOf(id('share'));
    const [call] = bus.commandCalls(PutEventsCommand);
    const [entry] = call?.args[0].input.Entries ?? [];
    expect(entry?.DetailType).toBe('control.requested');
    expect(JSON.parse(entry?.Detail ?? '')).toEqual({
      requestId,
      eventVersion: 1,
      organisationId: `org-${acme}`,
      shareId,
      deviceId: id('device'),
      command: { name: 'GO_TO', altitude: 40 },
      requestedAt: expect.any(String) as string,
    });
    expect(store).toHaveReceivedCommandWith(PutCommand, {
      TableName: 'requests',
      Item: {
        id: `control#${String(requestId)}`,
        shareCode: id('share'),
        deviceId: id('device'),
        ttl: expect.any(Number) as number,
      },
    });
    const line = { requestId, shareId, deviceId: id('device'), organisation: acme, connectionId: socket };
    expect(logLines()).toMatchObject([{ level: 'INFO', message: 'control', ...line }]);
    for (const secret of [id('share'), 'GO_TO']) expect(written.join('')).not.toContain(secret);
  });

  const answers = async (times: number, socket: string) => {
    const given: unknown[] = [];
    for (let count = 0; count < times; count += 1) given.push(await sendMessage(handler, socket, message));
    return given;
  };
  const notPermitted = refused('forbidden', {
    path: '',
    message: 'the share does not permit commands, or it has ended',
  });
  const tooMany = { ...refused('too_many_requests'), id: 1 };

  /** Lets the counters of the requests table count. */
  const countCalls = () => {
    const calls = new Map<string, number>();
    store.on(UpdateCommand, { TableName: 'requests' }).callsFake(({ Key }: { Key: { id: string } }) => {
      calls.set(Key.id, (calls.get(Key.id) ?? 0) + 1);
      return { Attributes: { calls: calls.get(Key.id) } };
    });
  };

  describe('is limited', () => {
    beforeEach(() => {
      jest.useFakeTimers({ now: new Date('2026-11-27T10:30:00.000Z'), doNotFake: ['nextTick', 'setImmediate'] });
      countCalls();
    });
    afterEach(() => {
      jest.useRealTimers();
    });
    const shareNumbered = (unique: number) => id('share', acme, `01jd00000000000000000000${unique}`);
    const watching = (unique: number, deviceId = newDeviceId()) =>
      givenViewer({ shareCode: shareNumbered(unique), deviceId, expiresAt: later });

    test('to 30 a minute over one share; commands above that soon cost no write', async () => {
      const socket = watching(10);
      expect((await answers(30, socket)).filter((one) => (one as typeof tooMany).type === 'accepted')).toHaveLength(30);
      expect(await answers(5, socket)).toEqual(Array(5).fill(tooMany));
      expect(counted(/^calls#control#[0-9a-f]{32}#/)).toBe(31);
      expect(bus.commandCalls(PutEventsCommand)).toHaveLength(30);
      jest.setSystemTime(new Date('2026-11-27T10:31:00.000Z'));
      expect(await answers(1, socket)).toMatchObject([{ type: 'accepted' }]);
    });

    test('to 60 a minute per device, over all of its shares', async () => {
      const deviceId = newDeviceId();
      for (const unique of [11, 12]) expect(await answers(30, watching(unique, deviceId))).not.toContainEqual(tooMany);
      expect(await answers(1, watching(13, deviceId))).toEqual([tooMany]);
      expect(await answers(1, watching(14))).toMatchObject([{ type: 'accepted' }]);
    });
  });

  test.each([
    ['permits viewing only', shareItem()],
    ['has been revoked', undefined],
    ['has expired', shareItem({ permissions: ['view', 'control'], expiresAt: '2026-01-01T00:00:00.000Z' })],
  ])('is refused to a viewer whose share %s, whatever it permitted when the socket was opened', async (_, Item) => {
    store.on(GetCommand, { TableName: 'shares' }).resolves(Item ? { Item } : {});
    const socket = givenViewer({ permissions: ['view', 'control'] });
    expect(await sendMessage(handler, socket, message)).toEqual({ ...notPermitted, id: 1 });
    expect(bus).not.toHaveReceivedAnyCommand();
  });

  test('is refused to a viewer of a suspended organisation', async () => {
    store.on(GetCommand, { Key: { clientId: `org-${acme}` } }).resolves({ Item: { status: 'suspended' } });
    expect(await sendMessage(handler, givenViewer(), message)).toEqual({ ...notPermitted, id: 1 });
    expect(bus).not.toHaveReceivedAnyCommand();
  });

  test('is not accepted when the bus refuses the event', async () => {
    countCalls();
    bus.resolves({ FailedEntryCount: 1 });
    expect(await sendMessage(handler, givenViewer(), message)).toMatchObject({ type: 'error', code: 'internal_error' });
  });
});
