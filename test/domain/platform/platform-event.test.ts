import { EVENT_VERSION, outboundEvents, type OutboundEvent } from '../../../domain/platform/outbound-events';
import { toPlatformEvent } from '../../../domain/platform/platform-event';
import { PLATFORM } from '../../../domain/values/service';
import { acme, sampleJob, sampleShare } from '../fixtures/samples';

const at = '2026-11-27T10:30:00.000Z';
const shareIdOf = (code: string) => `name-of-${code.length}`;
const ofJob = (before: ReturnType<typeof sampleJob> | undefined, after: ReturnType<typeof sampleJob> | undefined) =>
  toPlatformEvent({ kind: 'job', before, after }, at, shareIdOf);
const ofShare = (
  before: ReturnType<typeof sampleShare> | undefined,
  after: ReturnType<typeof sampleShare> | undefined,
) => toPlatformEvent({ kind: 'share', before, after }, at, shareIdOf);

/** Expects that an event matches its schema, with the version that its publisher adds. */
function expectValid(event: OutboundEvent | undefined): void {
  const detail = { ...event?.detail, eventVersion: EVENT_VERSION };
  expect(event && outboundEvents[event.type].parse(detail)).toEqual(detail);
}

const job = sampleJob({ metadata: { simulate: 'abort' }, scheduledAt: at });
const changedAt = '2026-11-27T10:29:59.123Z';
const next = sampleJob({ version: 4, status: 'QUEUED', updatedAt: changedAt, reportedAt: at });
const cancelled = sampleJob({ version: 4, status: 'CANCELLED', cancelledAt: at, updatedAt: changedAt });

test.each([
  ['job.created', undefined, job, 3, job.createdAt],
  ['job.updated', job, next, 4, changedAt],
  ['job.cancelled', job, cancelled, 4, changedAt],
  ['job.updated', cancelled, sampleJob({ version: 5, status: 'CANCELLED', updatedAt: changedAt }), 5, changedAt],
  ['job.deleted', job, undefined, 4, at],
  ['job.deleted', { ...job, updatedAt: '2026-11-27T10:30:00.900Z' }, undefined, 4, '2026-11-27T10:30:00.900Z'],
])('%s is published with the time of the change, and matches its schema', (type, before, after, version, time) => {
  const event = ofJob(before, after);
  expect(event).toMatchObject({
    type,
    detail: { eventId: `${job.jobId}/${version}`, organisationId: `org-${acme}`, jobId: job.jobId, version, at: time },
  });
  expect(event?.detail).not.toHaveProperty('reportedAt');
  expectValid(event);
});

test('job.created contains the whole job', () => {
  const { createdAt: _createdAt, updatedAt: _updatedAt, ...published } = job;
  expect(ofJob(undefined, job)?.detail).toMatchObject(published);
});

test('a change that the platform reported is not published', () => {
  const change = { kind: 'job', before: job, after: next } as const;
  expect(toPlatformEvent({ ...change, changedBy: PLATFORM }, at, shareIdOf)).toBeUndefined();
  expect(toPlatformEvent(change, at, shareIdOf)).toMatchObject({ type: 'job.updated' });
});

test('a share that is put back is published, each time under another eventId', () => {
  const kind = 'share' as const;
  const shares = [sampleShare({ version: 1 }), sampleShare({ version: 6 })] as const;
  const events = [
    { kind, before: undefined, after: shares[0] },
    { kind, before: shares[0], after: undefined },
    { kind, before: undefined, after: shares[1], isRestored: true as const },
    { kind, before: shares[0], after: sampleShare({ version: 7 }), isRestored: true as const },
    { kind, before: sampleShare({ version: 7 }), after: undefined },
  ].map((change) => toPlatformEvent(change, at, shareIdOf));
  for (const event of events) expectValid(event);
  expect(events.map((event) => event?.type.split('.')[1])).toEqual(['created', 'ended', 'created', 'created', 'ended']);
  expect(events.map((event) => String(event?.detail['eventId' as never]).split('/')[1])).toEqual([
    '1',
    '2',
    '6',
    '7',
    '8',
  ]);
});

test('the same change always produces the same event', () => {
  expect(ofJob(job, next)).toEqual(ofJob(job, next));
  expect(ofJob(job, job)).toBeUndefined();
});

test('the events of a share do not contain its code', () => {
  const share = sampleShare();
  for (const event of [ofShare(undefined, share), ofShare(share, undefined)]) {
    expectValid(event);
    expect(JSON.stringify(event)).not.toContain(share.shareCode);
    expect(event?.detail).toMatchObject({ shareId: shareIdOf(share.shareCode), deviceId: share.deviceId });
  }
});

test.each([
  ['REVOKED', {}, at],
  ['REVOKED', { revokedAt: '2026-11-27T10:30:00.123Z' }, '2026-11-27T10:30:00.123Z'],
  ['EXPIRED', { expired: true }, sampleShare().expiresAt],
] as const)('share.ended has the reason %s when the deleted share has %j, and its time', (reason, mark, time) => {
  expect(ofShare(sampleShare(mark), undefined)).toMatchObject({ type: 'share.ended', detail: { reason, at: time } });
});

test('changes of the viewer count and of devices are not published', () => {
  expect(ofShare(sampleShare(), sampleShare({ currentViewers: 1, version: 2 }))).toBeUndefined();
  expect(toPlatformEvent({ kind: 'device', before: undefined, after: undefined }, at, shareIdOf)).toBeUndefined();
});
