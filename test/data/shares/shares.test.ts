import { DeleteCommand, GetCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { GetDataEndpointCommand, ResourceNotFoundException } from '@aws-sdk/client-kinesis-video';
import {
  GetHLSStreamingSessionURLCommand,
  NoDataRetentionException,
  NotAuthorizedException,
  ResourceNotFoundException as FragmentsNotFound,
} from '@aws-sdk/client-kinesis-video-archived-media';
import {
  ConflictException,
  CreateScheduleCommand,
  DeleteScheduleCommand,
  ResourceNotFoundException as NoSuchSchedule,
  SchedulerClient,
} from '@aws-sdk/client-scheduler';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { mockClient } from 'aws-sdk-client-mock';
import 'aws-sdk-client-mock-jest';
import { findShare, insertShare, readSharePage, storeRevocation } from '../../../data/shares/shares';
import { pageToken } from '../../../domain/values/page-token';
import type { Refusal } from '../../../domain/values/refusal';
import { acme, id, rival, sampleShare } from '../../domain/fixtures/samples';
import { now } from '../fixtures/operations';
import { storeOnEngine } from '../fixtures/engine';
import { conditionFailed, onlyCommand, repeated, store } from '../fixtures/store';
import { createPlaybackSession } from '../../../data/shares/playback-session';
import { media, video } from '../../lambdas/fixtures/telemetry';
import { cancelExpiry, readShareEnd, scheduleExpiry } from '../../../data/shares/schedule-share-end';

describe('Shares', () => {
  const engine = storeOnEngine('shares');
  const share = sampleShare({ metadata: { case: 7 } });
  const item = (change = {}, organisation = acme) => ({ ...share, metadata: '{"case":7}', organisation, ...change });
  const creator = { organisation: acme, clientId: 'client1' };
  const over = { expiresAt: now };

  describe('insertShare', () => {
    test('stores the share with its expiry as TTL, and leaves one that is there', async () => {
      const inserted = sampleShare({ expiresAt: '2026-11-27T11:00:00.001Z', metadata: { case: 7 } });
      await insertShare(creator, inserted);
      await insertShare(creator, { ...inserted, maxViewers: 1 });
      const ttl = Date.parse('2026-11-27T11:00:01Z') / 1000;
      expect(await engine.all('shares')).toEqual([item({ expiresAt: inserted.expiresAt, ttl, createdBy: 'client1' })]);
    });
  });

  describe('findShare', () => {
    test('returns the stored share by a consistent read', async () => {
      store.on(GetCommand).resolves({ Item: item() });
      await expect(findShare(acme, share.shareCode, now)).resolves.toEqual(share);
      expect(onlyCommand()).toEqual({
        TableName: 'shares',
        Key: { organisation: acme, shareCode: share.shareCode },
        ConsistentRead: true,
      });
    });

    test.each([
      ['is not there', undefined, acme, 'share_not_found'],
      ['has just expired, though the store still has it', item(over), acme, 'share_not_found'],
      ["is another organisation's", item({}, rival), rival, 'forbidden'],
      ["is another organisation's and has expired", item(over, rival), rival, 'share_not_found'],
    ])('refuses a share that %s', async (_, Item, owner, code) => {
      store.on(GetCommand).resolves(Item ? { Item } : {});
      await expect(findShare(acme, id('share', owner), now)).rejects.toMatchObject({ code });
    });

    test('sends no command for text that is not a share code', async () => {
      await expect(findShare(acme, id('job'), now)).rejects.toMatchObject({ code: 'share_not_found' });
      expect(store).not.toHaveReceivedAnyCommand();
    });

    test.each([{ expiresAt: undefined }, { permissions: ['fly'] }, { metadata: '[1]' }, { maxViewers: 'many' }])(
      'fails for an invalid item with %j',
      async (fault) => {
        store.on(GetCommand).resolves({ Item: item(fault) });
        await expect(findShare(acme, share.shareCode, now)).rejects.toMatchObject({ name: '$ZodError' });
      },
    );
  });

  describe('listShares', () => {
    test('is one consistent query for the active shares, newest first', async () => {
      const older = item({ shareCode: id('share', acme, '01jc0000000000000000000000') });
      const ended = item({ ...over, shareCode: id('share', acme, '01jb0000000000000000000000') });
      await engine.put('shares', older, ended, item(), item({ shareCode: id('share', rival) }, rival));
      const { shares, nextToken } = await readSharePage(acme, { limit: 50 }, now);
      expect(shares.map(({ shareCode }) => shareCode)).toEqual([share.shareCode, older.shareCode]);
      expect(nextToken).toBeUndefined();
      expect(onlyCommand()).toMatchObject({ ConsistentRead: true, Limit: 51 });
    });

    test('continues after the page before, also when all its shares had expired', async () => {
      const key = { organisation: acme, shareCode: share.shareCode };
      store.on(QueryCommand).resolves({ LastEvaluatedKey: key });
      const { shares, nextToken } = await readSharePage(acme, { limit: 1 }, now);
      expect(shares).toEqual([]);
      store.resetHistory();
      await readSharePage(acme, { limit: 1, nextToken }, now);
      expect(onlyCommand()['ExclusiveStartKey']).toEqual(key);
    });

    test.each([`shares ${rival}`, `jobs ${acme} `])('refuses the token of "%s"', async (list) => {
      const page = { limit: 1, nextToken: pageToken(list, share.shareCode) };
      await expect(readSharePage(acme, page, now)).rejects.toMatchObject({ code: 'invalid_request' });
      expect(store).not.toHaveReceivedAnyCommand();
    });

    test('skips an item that is not a share', async () => {
      jest.spyOn(console, 'error').mockReturnValue();
      store.on(QueryCommand).resolves({ Items: [{ organisation: acme }, item()] });
      await expect(readSharePage(acme, { limit: 2 }, now)).resolves.toMatchObject({ shares: [share] });
    });
  });

  describe('revokeShare', () => {
    test('deletes an active share, and returns it with the time of its end', async () => {
      await engine.put('shares', item());
      await expect(storeRevocation(acme, share.shareCode, now)).resolves.toEqual({ ...share, revokedAt: now });
      expect(store.calls()).toHaveLength(2);
      expect(await engine.all('shares')).toEqual([]);
    });

    test('can be repeated after it failed between its writes, and keeps the time', async () => {
      const earlier = new Date(Date.parse(now) - 1000).toISOString();
      await engine.put('shares', item({ revokedAt: earlier }));
      await expect(findShare(acme, share.shareCode, now)).rejects.toMatchObject({ code: 'share_not_found' });
      await expect(readSharePage(acme, { limit: 2 }, now)).resolves.toMatchObject({ shares: [] });
      await expect(storeRevocation(acme, share.shareCode, now)).resolves.toMatchObject({ revokedAt: earlier });
    });

    test('lets one of two calls at the same time end it', async () => {
      await engine.put('shares', item());
      const calls = await Promise.allSettled([1, 2].map(() => storeRevocation(acme, share.shareCode, now)));
      const outcomes = calls.map((call) => (call.status === 'fulfilled' ? 'ended' : (call.reason as Refusal).code));
      expect(outcomes.toSorted()).toEqual(['ended', 'share_not_found']);
    });

    test.each([
      ['is not there', undefined, acme, 'share_not_found'],
      ['has just expired', item(over), acme, 'share_not_found'],
      ["is another organisation's", item({}, rival), rival, 'forbidden'],
      ["is another organisation's and has expired", item(over, rival), rival, 'share_not_found'],
    ])('refuses a share that %s, and leaves it', async (_, found, owner, code) => {
      const before = found ? [{ ...found, shareCode: id('share', owner) }] : [];
      await engine.put('shares', ...before);
      await expect(storeRevocation(acme, id('share', owner), now)).rejects.toMatchObject({ code });
      expect(await engine.all('shares')).toEqual(before);
    });

    test('passes on the error when no reason is found', async () => {
      const fault = conditionFailed(item());
      store.on(UpdateCommand).rejects(fault);
      await expect(storeRevocation(acme, share.shareCode, now)).rejects.toBe(fault);
    });

    test('succeeds when a retry by the SDK finds the share deleted', async () => {
      store.on(UpdateCommand).resolves({}).on(DeleteCommand).rejects(repeated());
      await expect(storeRevocation(acme, share.shareCode, now)).resolves.toBeUndefined();
    });

    test.each([
      ["another organisation's", item({}, rival), rival, 'forbidden'],
      ['one that has expired', item(over), acme, 'share_not_found'],
    ])('refuses %s also on a retry by the SDK', async (_, found, owner, code) => {
      store.on(UpdateCommand).rejects(repeated(found));
      await expect(storeRevocation(acme, id('share', owner), now)).rejects.toMatchObject({ code });
    });
  });
});

describe('Video', () => {
  const now = new Date('2026-11-27T10:30:00.000Z');
  const response = { message: 'an error of Kinesis', $metadata: {} };
  const url = 'https://video.test/hls/v1/getHLSMasterPlaylist.m3u8?SessionToken=x';
  let streams = 0;
  /** Endpoints are remembered, so each test has a stream of its own. */
  const newStream = () => `stream-${++streams}`;

  beforeEach(() => {
    video.on(GetDataEndpointCommand).resolves({ DataEndpoint: 'https://video.test' });
    media.on(GetHLSStreamingSessionURLCommand).resolves({ HLSStreamingSessionURL: url });
  });

  test('playbackOf returns a session URL of the endpoint for five minutes', async () => {
    const StreamName = newStream();
    const expiresAt = '2026-11-27T10:35:00.000Z';
    await expect(createPlaybackSession(StreamName, now)).resolves.toEqual({ protocol: 'HLS', url, expiresAt });
    expect(video).toHaveReceivedCommandWith(GetDataEndpointCommand, {
      StreamName,
      APIName: 'GET_HLS_STREAMING_SESSION_URL',
    });
    expect(media).toHaveReceivedCommandWith(GetHLSStreamingSessionURLCommand, {
      StreamName,
      PlaybackMode: 'LIVE',
      Expires: 300,
    });
  });

  test('playbackOf requests the endpoint of a stream once and a session URL each time', async () => {
    const stream = newStream();
    await createPlaybackSession(stream, now);
    await createPlaybackSession(stream, now);
    expect(video).toHaveReceivedCommandTimes(GetDataEndpointCommand, 1);
    expect(media).toHaveReceivedCommandTimes(GetHLSStreamingSessionURLCommand, 2);
  });

  test('playbackOf returns null when the stream does not exist', async () => {
    video.on(GetDataEndpointCommand).rejects(new ResourceNotFoundException(response));
    await expect(createPlaybackSession(newStream(), now)).resolves.toBeNull();
  });

  test.each([new FragmentsNotFound(response), new NoDataRetentionException(response)])(
    'playbackOf returns null when the stream has no fragments or no retention: %s',
    async (error) => {
      media.on(GetHLSStreamingSessionURLCommand).rejects(error);
      await expect(createPlaybackSession(newStream(), now)).resolves.toBeNull();
    },
  );

  test.each([new NotAuthorizedException(response), new Error('timed out')])(
    'playbackOf passes on any other error: %s',
    async (error) => {
      media.on(GetHLSStreamingSessionURLCommand).rejects(error);
      await expect(createPlaybackSession(newStream(), now)).rejects.toBe(error);
    },
  );

  test('playbackOf fails when Kinesis returns no endpoint or no session URL', async () => {
    media.on(GetHLSStreamingSessionURLCommand).resolves({});
    await expect(createPlaybackSession(newStream(), now)).rejects.toThrow('returned no session URL');
    video.on(GetDataEndpointCommand).resolves({});
    await expect(createPlaybackSession(newStream(), now)).rejects.toThrow('returned no endpoint');
  });
});

describe('The expiry of a share', () => {
  Object.assign(process.env, {
    EXPIRY_SCHEDULE_GROUP: 'expiry',
    EXPIRY_ROLE_ARN: 'arn:aws:iam::123456789012:role/expiry',
    EXPIRY_FAILURES_ARN: 'arn:aws:sqs:eu-west-1:123456789012:failures',
    SHARE_END_QUEUE_ARN: 'arn:aws:sqs:eu-west-1:123456789012:ends',
    SHARE_END_QUEUE_URL: 'https://sqs.eu-west-1.amazonaws.com/123456789012/ends',
  });

  const scheduler = mockClient(SchedulerClient);
  const sqs = mockClient(SQSClient);
  beforeEach(() => {
    scheduler.reset();
    sqs.reset();
    jest.useFakeTimers({ now: Date.parse('2026-11-27T10:00:00.250Z') });
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  const share = sampleShare({ expiresAt: '2026-11-27T11:00:00.900Z' });
  const response = { message: 'an error of Scheduler', Message: 'an error of Scheduler', $metadata: {} };
  const input = () => scheduler.commandCalls(CreateScheduleCommand)[0]?.args[0].input;

  describe('scheduleExpiry', () => {
    test('creates a schedule that sends share code and time to the queue ten minutes before expiry', async () => {
      await scheduleExpiry(share);
      expect(scheduler.calls()).toHaveLength(1);
      expect(sqs.calls()).toEqual([]);
      expect(input()).toMatchObject({
        GroupName: 'expiry',
        ScheduleExpression: 'at(2026-11-27T10:50:00)',
        ScheduleExpressionTimezone: 'UTC',
        FlexibleTimeWindow: { Mode: 'OFF' },
        ActionAfterCompletion: 'DELETE',
        Target: {
          Arn: process.env['SHARE_END_QUEUE_ARN'],
          RoleArn: process.env['EXPIRY_ROLE_ARN'],
          DeadLetterConfig: { Arn: process.env['EXPIRY_FAILURES_ARN'] },
        },
      });
      const { shareCode, expiresAt } = share;
      expect(readShareEnd(input()?.Target?.Input ?? '')).toEqual({ shareCode, expiresAt });
    });

    test.each([
      ['2026-11-27T10:15:00.250Z', 900],
      ['2026-11-27T10:01:00.000Z', 60],
      ['2026-11-27T10:00:59.999Z', 60],
      ['2026-11-27T10:00:59.500Z', 59],
      ['2026-11-27T10:00:00.500Z', 0],
      ['2026-11-27T09:59:00.000Z', 0],
    ])(
      'delays a message by whole seconds, to at most 250 ms after the end, when it is 10:00:00.250 and the end %s',
      async (expiresAt, delay) => {
        await scheduleExpiry(sampleShare({ expiresAt }));
        expect(scheduler.calls()).toEqual([]);
        const [sent, ...more] = sqs.commandCalls(SendMessageCommand).map(({ args: [{ input }] }) => input);
        expect(sent).toMatchObject({ QueueUrl: process.env['SHARE_END_QUEUE_URL'], DelaySeconds: delay });
        expect(readShareEnd(sent?.MessageBody ?? '')).toEqual({ shareCode: share.shareCode, expiresAt });
        expect(more).toEqual([]);
      },
    );

    test('creates a schedule for what a message cannot be delayed for', async () => {
      await scheduleExpiry(sampleShare({ expiresAt: '2026-11-27T10:15:00.251Z' }));
      expect(input()?.ScheduleExpression).toBe('at(2026-11-27T10:05:00)');
      expect(sqs.calls()).toEqual([]);
    });

    test('fails when the queue does not take the message', async () => {
      sqs.on(SendMessageCommand).rejects(new Error('throttled'));
      await expect(scheduleExpiry(sampleShare({ expiresAt: '2026-11-27T10:01:00.000Z' }))).rejects.toThrow('throttled');
    });

    test('names the schedule by a digest of the share code', async () => {
      await scheduleExpiry(share);
      await scheduleExpiry(sampleShare({ shareCode: `${share.shareCode}x` }));
      const [one, other] = scheduler.commandCalls(CreateScheduleCommand).map(
        ({
          args: [
            {
              input: { Name },
            },
          ],
        }) => Name,
      );
      expect(one).toMatch(/^share-[0-9a-f]{40}$/);
      expect(one).not.toContain(share.shareCode);
      expect(other).not.toBe(one);
    });

    test('keeps an existing schedule, and passes on any other error', async () => {
      scheduler.on(CreateScheduleCommand).rejects(new ConflictException(response));
      await expect(scheduleExpiry(share)).resolves.toBeUndefined();
      const fault = new Error('throttled');
      scheduler.on(CreateScheduleCommand).rejects(fault);
      await expect(scheduleExpiry(share)).rejects.toBe(fault);
    });
  });

  describe('cancelExpiry', () => {
    test('deletes the schedule of the share', async () => {
      await scheduleExpiry(share);
      await cancelExpiry(share);
      expect(scheduler).toHaveReceivedCommandWith(DeleteScheduleCommand, { GroupName: 'expiry', Name: input()?.Name });
    });

    test('succeeds when the schedule has run, and passes on any other error', async () => {
      scheduler.on(DeleteScheduleCommand).rejects(new NoSuchSchedule(response));
      await expect(cancelExpiry(share)).resolves.toBeUndefined();
      const fault = new Error('throttled');
      scheduler.on(DeleteScheduleCommand).rejects(fault);
      await expect(cancelExpiry(share)).rejects.toBe(fault);
    });
  });
});
