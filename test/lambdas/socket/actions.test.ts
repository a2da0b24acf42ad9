import { PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { GetDataEndpointCommand } from '@aws-sdk/client-kinesis-video';
import { GetHLSStreamingSessionURLCommand } from '@aws-sdk/client-kinesis-video-archived-media';
import {
  BatchGetCommand,
  DeleteCommand,
  GetCommand,
  PutCommand,
  QueryCommand,
  UpdateCommand,
} from '../../../data/store/document-client';
import { handler as control } from '../../../lambdas/socket/control';
import { handler as playback } from '../../../lambdas/socket/playback';
import { handler as publish } from '../../../lambdas/socket/publish';
import { handler as subscribe } from '../../../lambdas/socket/subscribe';
import { handler as unsubscribe } from '../../../lambdas/socket/unsubscribe';
import type { PartnerSession, ViewerSession } from '../../../data/connections/sessions';
import { acme, id, rival } from '../../domain/fixtures/samples';
import { askedFor, greeter } from '../../data/fixtures/greeter';
import { store } from '../../data/fixtures/store';
import { shareIdOf } from '../../../lambdas/delivery/share-id';
import { logLines, written } from '../fixtures/log';
import { newSocket, say } from '../fixtures/socket';
import {
  bus,
  deviceItem,
  givenSession,
  later,
  media,
  newDeviceId,
  partnerSession,
  shareItem,
  video,
  viewerSession,
} from '../fixtures/telemetry';

const group = { kind: 'group', deviceGroupId: id('group'), name: 'North quarry', description: '' };
const partner = (change: Partial<PartnerSession> = {}) => {
  const connectionId = newSocket();
  givenSession(partnerSession({ connectionId, ...change }));
  return connectionId;
};
const viewer = (change: Partial<ViewerSession> = {}) => {
  const connectionId = newSocket();
  givenSession(viewerSession({ connectionId, ...change }));
  return connectionId;
};

beforeEach(() => {
  store.resolves({});
  store.on(BatchGetCommand).resolves({ Responses: { fleet: [group] } });
  store.on(GetCommand, { TableName: 'fleet' }).resolves({ Item: deviceItem(id('device')) });
  store.on(GetCommand, { TableName: 'shares' }).resolves({ Item: shareItem({ permissions: ['view', 'control'] }) });
  store.on(UpdateCommand, { TableName: 'requests' }).resolves({ Attributes: { calls: 1 } });
});

describe('subscribe', () => {
  test.each([{ deviceId: id('device') }, { deviceGroupId: id('group') }])('follows %j and says so.', async (named) => {
    const socket = partner();
    expect(await say(subscribe, socket, { action: 'subscribe', ...named, id: 1 })).toEqual({
      type: 'subscribed',
      ...named,
      id: 1,
    });
    expect(store).toHaveReceivedCommandWith(PutCommand, {
      Item: expect.objectContaining({
        channel: `telemetry#${Object.values(named)[0]}`,
        connectionId: socket,
        waits: expect.any(Number) as number,
      }) as object,
    });
    expect(askedFor()).toEqual([{ kind: 'subscription', connectionId: socket, followed: Object.values(named)[0] }]);
  });

  test('does not follow when the state can not be asked for: it would wait for ever.', async () => {
    const socket = partner();
    greeter.rejects(new Error('Rate Exceeded.'));
    const message = { action: 'subscribe', deviceId: id('device') };
    expect(await say(subscribe, socket, message)).toMatchObject({ type: 'error', error: 'Internal server error' });
    expect(store).toHaveReceivedCommandWith(DeleteCommand, {
      Key: { channel: `telemetry#${id('device')}`, connectionId: socket },
    });
  });

  test.each([
    ["another organisation's device", { deviceId: id('device', rival) }, 'Forbidden'],
    ["another organisation's group", { deviceGroupId: id('group', rival) }, 'Forbidden'],
    ['a job', { deviceId: id('job') }, 'Resource not found'],
    ['a device that is named as a group', { deviceGroupId: id('device') }, 'Device group not found'],
  ])('does not follow %s.', async (_, named, error) => {
    expect(await say(subscribe, partner(), { action: 'subscribe', ...named })).toEqual({ type: 'error', error });
    expect(store).not.toHaveReceivedCommand(PutCommand);
    expect(askedFor()).toEqual([]);
  });

  test('does not follow a stream: telemetry is of devices.', async () => {
    const stream = { kind: 'stream', streamId: id('stream'), deviceId: id('device'), videoStream: 'x' };
    store.on(GetCommand, { TableName: 'fleet' }).resolves({ Item: stream });
    const message = { action: 'subscribe', deviceId: id('stream') };
    expect(await say(subscribe, partner(), message)).toMatchObject({ error: 'Resource not found' });
  });
});

test('unsubscribe ends that, without asking whether it was.', async () => {
  const socket = partner();
  const message = { action: 'unsubscribe', deviceGroupId: id('group') };
  expect(await say(unsubscribe, socket, message)).toEqual({ type: 'unsubscribed', deviceGroupId: id('group') });
  expect(store).toHaveReceivedCommandWith(DeleteCommand, {
    Key: { channel: `telemetry#${id('group')}`, connectionId: socket },
  });
});

describe('publish', () => {
  const sample = () => ({ deviceId: newDeviceId(), timestamp: new Date().toISOString() });

  test('says how many samples were news.', async () => {
    const [one, other] = [sample(), sample()];
    const fleet = [one, other].map(({ deviceId }) => deviceItem(deviceId));
    store.on(BatchGetCommand).resolves({ Responses: { fleet } });
    const message = { action: 'publish', telemetry: [one, other, one], id: 1 };
    expect(await say(publish, partner(), message)).toEqual({ type: 'published', accepted: 2, id: 1 });
  });

  test("names a device that is not the organisation's.", async () => {
    expect(await say(publish, partner(), { action: 'publish', telemetry: sample() })).toMatchObject({
      error: 'invalid_request',
      details: [{ path: 'telemetry.0.deviceId', message: 'is not a device of yours' }],
    });
  });
});

describe('control', () => {
  const message = { action: 'control', command: { name: 'GO_TO', altitude: 40 }, id: 1 };

  const ulid = expect.stringMatching(/^[0-9a-hjkmnp-tv-z]{26}$/) as string;
  const counted = (who: RegExp) =>
    store
      .commandCalls(UpdateCommand, { TableName: 'requests' })
      .filter(({ args: [{ input }] }) => who.test(String(input.Key?.['id']))).length;

  test('tells the platform what a viewer of whom it is permitted wants, and not with which share code.', async () => {
    const socket = viewer();
    const answered = await say(control, socket, message);
    expect(answered).toEqual({ type: 'accepted', requestId: ulid, id: 1 });
    const { requestId } = answered;
    const shareId = shareIdOf(id('share'));
    const [call] = bus.commandCalls(PutEventsCommand);
    const [entry] = call?.args[0].input.Entries ?? [];
    expect(entry?.DetailType).toBe('control.requested');
    expect(JSON.parse(entry?.Detail ?? '')).toEqual({
      requestId,
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
    for (let count = 0; count < times; count += 1) given.push(await say(control, socket, message));
    return given;
  };
  const tooMany = { type: 'error', error: 'Too many requests', id: 1 };

  /** Counts as DynamoDB does. */
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
      viewer({ shareCode: shareNumbered(unique), deviceId, expiresAt: later });

    test('to 30 a minute over one share, and what is beyond costs no write for long.', async () => {
      const socket = watching(10);
      expect((await answers(30, socket)).filter((one) => (one as typeof tooMany).type === 'accepted')).toHaveLength(30);
      expect(await answers(5, socket)).toEqual(Array(5).fill(tooMany));
      expect(counted(/^calls#control#[0-9a-f]{32}#/)).toBe(31);
      expect(bus.commandCalls(PutEventsCommand)).toHaveLength(30);
      jest.setSystemTime(new Date('2026-11-27T10:31:00.000Z'));
      expect(await answers(1, socket)).toMatchObject([{ type: 'accepted' }]);
    });

    test('to 60 a minute of one device, over however many shares.', async () => {
      const deviceId = newDeviceId();
      for (const unique of [11, 12]) expect(await answers(30, watching(unique, deviceId))).not.toContainEqual(tooMany);
      expect(await answers(1, watching(13, deviceId))).toEqual([tooMany]);
      expect(await answers(1, watching(14))).toMatchObject([{ type: 'accepted' }]);
    });
  });

  test.each([
    ['permits to view only', shareItem()],
    ['has been revoked', undefined],
    ['has expired', shareItem({ permissions: ['view', 'control'], expiresAt: '2026-01-01T00:00:00.000Z' })],
  ])('is refused to a viewer whose share %s, whatever it did when the socket was opened.', async (_, Item) => {
    store.on(GetCommand, { TableName: 'shares' }).resolves(Item ? { Item } : {});
    const socket = viewer({ permissions: ['view', 'control'] });
    expect(await say(control, socket, message)).toEqual({ type: 'error', error: 'Forbidden', id: 1 });
    expect(bus).not.toHaveReceivedAnyCommand();
  });

  test('is refused to a viewer of a suspended organisation, whose socket is still open.', async () => {
    store.on(GetCommand, { Key: { clientId: `org-${acme}` } }).resolves({ Item: { status: 'suspended' } });
    expect(await say(control, viewer(), message)).toEqual({ type: 'error', error: 'Forbidden', id: 1 });
    expect(bus).not.toHaveReceivedAnyCommand();
  });

  test('is not accepted when the bus did not take it.', async () => {
    countCalls();
    bus.resolves({ FailedEntryCount: 1 });
    expect(await say(control, viewer(), message)).toMatchObject({ type: 'error', error: 'Internal server error' });
  });
});

describe('playback', () => {
  const message = { action: 'playback', id: 1 };
  const streamShare = shareItem({ shareType: 'STREAM', resourceId: id('stream') });
  const givenStreams = (...names: string[]) =>
    store.on(QueryCommand, { TableName: 'fleet' }).resolves({
      Items: names.map((videoStream) => ({
        kind: 'stream',
        streamId: id('stream'),
        id: id('stream'),
        deviceId: id('device'),
        videoStream,
        organisation: acme,
      })),
    });

  test('says where the video of a stream is.', async () => {
    store.on(GetCommand, { TableName: 'shares' }).resolves({ Item: streamShare });
    givenStreams('kestrel-video');
    video.on(GetDataEndpointCommand).resolves({ DataEndpoint: 'https://video.test' });
    media.on(GetHLSStreamingSessionURLCommand).resolves({ HLSStreamingSessionURL: 'https://video.test/x.m3u8' });
    expect(await say(playback, viewer(), message)).toEqual({
      type: 'share.playback',
      playback: { protocol: 'HLS', url: 'https://video.test/x.m3u8', expiresAt: expect.any(String) as string },
      id: 1,
    });
  });

  test('is null for a device without a stream, and says so.', async () => {
    store.on(GetCommand, { TableName: 'shares' }).resolves({ Item: streamShare });
    givenStreams();
    expect(await say(playback, viewer(), message)).toEqual({
      type: 'share.playback',
      playback: null,
      error: 'The device has no video stream',
      id: 1,
    });
  });

  test.each([
    ['of a share of a status', shareItem(), 'Forbidden'],
    ['of a share that has ended', undefined, 'Share not found'],
  ])('is refused to a viewer %s.', async (_, Item, error) => {
    store.on(GetCommand, { TableName: 'shares' }).resolves(Item ? { Item } : {});
    expect(await say(playback, viewer({ shareType: 'STREAM' }), message)).toEqual({ type: 'error', error, id: 1 });
    expect(media).not.toHaveReceivedAnyCommand();
  });

  test('is refused to a viewer of a suspended organisation, for its address could not be revoked.', async () => {
    store.on(GetCommand, { TableName: 'shares' }).resolves({ Item: streamShare });
    store.on(GetCommand, { Key: { clientId: `org-${acme}` } }).resolves({ Item: { status: 'suspended' } });
    expect(await say(playback, viewer(), message)).toMatchObject({ type: 'error', error: 'Share not found' });
    expect(media).not.toHaveReceivedAnyCommand();
  });
});
