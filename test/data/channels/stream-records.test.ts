import {
  parseChange,
  itemIdentity,
  recordedAt,
  parseTopicSubscribers,
  UnreadableRecord,
} from '../../../data/channels/stream-records';
import { jobToItem } from '../../../data/jobs/jobs';
import { PLATFORM } from '../../../domain/values/service';
import { acme, id, sampleJob, sampleShare } from '../../domain/fixtures/samples';
import { jobRecord, record } from '../fixtures/stream-record';
import { fc } from '../../property-runs';

const jobKey = { organisation: acme, jobId: id('job') };
const shareKey = { organisation: acme, shareCode: id('share') };
const deviceKey = { organisation: acme, id: id('device') };
const device = { deviceId: id('device'), deviceGroupId: id('group'), name: 'North 1', status: 'online', version: 2 };

describe('changeOf', () => {
  test('returns a job before and after for the jobs table', () => {
    const [before, after] = [sampleJob(), sampleJob({ status: 'QUEUED', metadata: { site: 'north' } })];
    expect(parseChange(jobRecord(before, after))).toEqual({ kind: 'job', before, after });
    expect(parseChange(jobRecord(undefined, after))).toEqual({ kind: 'job', before: undefined, after });
    expect(parseChange(jobRecord(before, undefined))).toEqual({ kind: 'job', before, after: undefined });
  });

  test('says who changed a job, by the item after the change', () => {
    const item = jobToItem(acme, sampleJob());
    const reported = { ...item, changedBy: PLATFORM };
    expect(parseChange(record(jobKey, item, reported))).toMatchObject({ changedBy: PLATFORM });
    expect(parseChange(record(jobKey, item, reported))?.after).toEqual(sampleJob());
    for (const after of [item, undefined])
      expect(parseChange(record(jobKey, reported, after))).toMatchObject({ changedBy: undefined });
  });

  test.each([
    ['was put back whole', undefined, 'now', true],
    ['was put back in part', {}, 'now', true],
    ['was put back again', { restoredAt: 'then' }, 'now', true],
    ['has changed since it was put back', { restoredAt: 'now' }, 'now', undefined],
    ['was deleted after it was put back', { restoredAt: 'now' }, undefined, undefined],
  ])('says that an item %s', (_, before, restoredAt, isRestored) => {
    const [job, share] = [jobToItem(acme, sampleJob()), { ...sampleShare(), organisation: acme, ttl: 1 }];
    const change = (key: Record<string, unknown>, item: object) =>
      parseChange(
        record(key, before && { ...item, ...before }, restoredAt === undefined ? undefined : { ...item, restoredAt }),
      );
    expect(change(jobKey, job)).toHaveProperty('kind', 'job');
    for (const found of [change(jobKey, job), change(shareKey, share)])
      expect((found as { isRestored?: true }).isRestored).toBe(isRestored);
  });

  test('returns a share for the shares table', () => {
    const share = sampleShare();
    expect(parseChange(record(shareKey, { ...share, organisation: acme, ttl: 1 }, undefined))).toEqual({
      kind: 'share',
      before: share,
      after: undefined,
    });
  });

  test('returns an expired share when DynamoDB deleted it by TTL', () => {
    const removed = record(shareKey, { ...sampleShare(), organisation: acme }, undefined);
    const byTtl = { ...removed, userIdentity: { type: 'Service', principalId: 'dynamodb.amazonaws.com' } };
    expect(parseChange(byTtl)).toMatchObject({ before: { expired: true } });
    expect(parseChange(removed)?.before).not.toHaveProperty('expired');
  });

  test('returns a device for the fleet table, and undefined for other items of it', () => {
    const lastState = { timestamp: '2026-11-27T10:00:00.000Z', droneState: 'HOVER' };
    const item = { ...device, kind: 'device', lastState: JSON.stringify(lastState) };
    const after = { ...device, lastState };
    const change = parseChange(record(deviceKey, undefined, item));
    expect(change).toMatchObject({ kind: 'device', before: undefined, after });
    const group = { kind: 'group', deviceGroupId: id('group'), name: 'North', description: '' };
    expect(parseChange(record({ organisation: acme, id: id('group') }, undefined, group))).toBeUndefined();
    const removed = { kind: 'removed', eventTime: '2026-11-27T10:30:00Z', ttl: 1 };
    expect(parseChange(record(deviceKey, item, removed))).toMatchObject({ before: after, after: undefined });
    expect(parseChange(record(deviceKey, removed, undefined))).toBeUndefined();
  });

  test.each([
    ['is no job', record(jobKey, undefined, { ...jobKey, status: 'FLYING' })],
    ['is no share', record(shareKey, { ...shareKey, maxViewers: 'many' }, undefined)],
    ['is no device', record(deviceKey, undefined, { ...device, kind: 'kite' })],
    ['is of another table', record({ clientId: 'client1' }, undefined, {})],
    ['has no key', {}],
  ])('throws UnreadableRecord for a record that %s', (_, broken) => {
    expect(() => parseChange(broken)).toThrow(UnreadableRecord);
  });

  test('is created at a time in seconds', () => {
    expect(recordedAt(record(jobKey, undefined, undefined, 1, 1795775400))).toBe('2026-11-27T10:30:00.000Z');
  });
});

describe('itemOf', () => {
  test('is equal for equal keys in any order of attributes', () => {
    expect(itemIdentity(record({ organisation: acme, jobId: 'a' }, undefined, undefined))).toBe(
      itemIdentity(record({ jobId: 'a', organisation: acme }, undefined, undefined)),
    );
  });

  test('differs when any part of the keys differs', () => {
    const key = fc.record({ organisation: fc.string(), jobId: fc.string() });
    fc.assert(
      fc.property(key, key, (one, other) => {
        const same = one.organisation === other.organisation && one.jobId === other.jobId;
        const items = [one, other].map((keys) => itemIdentity(record(keys, undefined, undefined)));
        expect(items[0] === items[1]).toBe(same);
      }),
    );
  });
});

describe('topicSubscribersOf', () => {
  const [never, once, longer] = [{ ...shareKey }, { ...shareKey, topicUntil: 10 }, { ...shareKey, topicUntil: 20 }];
  const again = (publishedAgain: string) => ({ ...once, publishedAgain });
  test.each<[string, object | undefined, object | undefined, number | undefined, boolean, number?]>([
    ['nobody ever subscribed', never, never, undefined, false],
    ['somebody subscribed first', never, once, 10, true],
    ['somebody subscribed for longer', once, longer, 20, true],
    ['something else changed', once, once, 10, false],
    ['the item was deleted', once, undefined, 10, false],
    ['the item was restored', undefined, once, 10, false],
    ['the topic lacks the state', once, again('1 1795775400000'), 10, true, 1],
    ['the topic lacks it once more', again('1 1795775400000'), again('2 1795775404000'), 10, true, 2],
    ['the topic lacked it before', again('2 1795775400000'), again('2 1795775400000'), 10, false],
    ['it was deleted after that', again('2 1795775400000'), undefined, 10, false],
  ])('tells when %s', (_, before, after, until, isNew, attempt = 0) => {
    const images = [before, after].map((image) => image && { ...image });
    expect(parseTopicSubscribers(record(shareKey, images[0], images[1]))).toEqual({
      organisation: acme,
      until,
      isNew,
      attempt,
    });
  });

  test('reads no other attribute, so that one which cannot be parsed disturbs no other record', () => {
    const poison = record(jobKey, { ...jobKey, status: 1 }, { ...jobKey, status: [], topicUntil: 10 });
    expect(parseTopicSubscribers(poison)).toMatchObject({ until: 10, isNew: true });
    expect(parseTopicSubscribers({})).toEqual({ organisation: '', until: undefined, isNew: false, attempt: 0 });
  });
});
