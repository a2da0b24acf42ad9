import { newShare, shareRequest } from '../../../domain/shares/new-share';
import { hasEnded } from '../../../domain/shares/share';
import { sampleShare } from '../fixtures/samples';
import { fc } from '../../property-runs';

const least = { resourceId: 'device-1', shareType: 'STREAM' };
const now = '2026-11-27T10:00:00.000Z';

test('a request needs a resource and a share type; the other fields have defaults', () => {
  expect(shareRequest.parse(least)).toEqual({ ...least, permissions: ['view'], expiresIn: 3600, maxViewers: 10 });
});

test.each([
  ['expiresIn', 60, 86_400],
  ['maxViewers', 1, 1000],
])('%s is accepted from %d to %d', (field, min, max) => {
  const accepted = (value: unknown) => shareRequest.safeParse({ ...least, [field]: value }).success;
  expect([min - 1, min, max, max + 1].map(accepted)).toEqual([false, true, true, false]);
  expect([min + 0.5, String(min), null, Infinity].map(accepted)).toEqual([false, false, false, false]);
});

test.each([
  [['view'], ['view']],
  [['control'], ['control']],
  [
    ['control', 'view'],
    ['view', 'control'],
  ],
  [['view', 'view'], ['view']],
])('the permissions %j are stored as %j', (given, stored) => {
  expect(shareRequest.parse({ ...least, permissions: given }).permissions).toEqual(stored);
});

test.each([[[]], [['fly']], ['view'], [null]])('the permissions %j are refused', (permissions) => {
  expect(shareRequest.safeParse({ ...least, permissions }).success).toBe(false);
});

test.each([
  ['no resource', { shareType: 'STREAM' }],
  ['an empty resource', { ...least, resourceId: '' }],
  ['no type', { resourceId: 'device-1' }],
  ['an unknown type', { ...least, shareType: 'AUDIO' }],
  ['metadata that is a list', { ...least, metadata: [] }],
  ['an unknown field', { ...least, expires: 60 }],
])('a request with %s is refused', (_, request) => {
  expect(shareRequest.safeParse(request).success).toBe(false);
});

test('a new share has no viewers and expires after expiresIn', () => {
  const request = shareRequest.parse({ ...least, expiresIn: 90, maxViewers: 3, metadata: { case: 7 } });
  expect(newShare(request, 'device-1', 'share-1', now)).toMatchObject({
    shareCode: 'share-1',
    resourceId: 'device-1',
    deviceId: 'device-1',
    shareType: 'STREAM',
    permissions: ['view'],
    expiresAt: '2026-11-27T10:01:30.000Z',
    maxViewers: 3,
    currentViewers: 0,
    createdAt: now,
    metadata: { case: 7 },
  });
});

test.each([
  ['has not expired a millisecond before expiresAt', '2026-11-27T10:59:59.999Z', false],
  ['has expired at expiresAt', '2026-11-27T11:00:00.000Z', true],
  ['has expired a millisecond later', '2026-11-27T11:00:00.001Z', true],
])('hasEnded: a share %s', (_, moment, over) => {
  expect(hasEnded(sampleShare(), moment)).toBe(over);
});

test('a share expires exactly expiresIn seconds after its creation', () => {
  const moments = fc.date({ min: new Date('2020-01-01Z'), max: new Date('2090-01-01Z'), noInvalidDate: true });
  fc.assert(
    fc.property(moments, fc.integer({ min: 60, max: 86_400 }), (start, expiresIn) => {
      const share = newShare(shareRequest.parse({ ...least, expiresIn }), 'device-1', 'share-1', start.toISOString());
      const after = (ms: number) => new Date(start.getTime() + ms).toISOString();
      expect(hasEnded(share, after(expiresIn * 1000 - 1))).toBe(false);
      expect(hasEnded(share, after(expiresIn * 1000))).toBe(true);
    }),
  );
});
