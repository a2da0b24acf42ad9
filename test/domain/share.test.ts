import fc from 'fast-check';
import { hasExpired, newShare, shareRequest } from '../../domain/share';
import { sampleShare } from './fixtures/samples';

const least = { resourceId: 'device-1', shareType: 'STREAM' };
const now = '2026-11-27T10:00:00.000Z';

test('A request says what is shared and how; all else has a default.', () => {
  expect(shareRequest.parse(least)).toEqual({ ...least, permissions: ['view'], expiresIn: 3600, maxViewers: 10 });
});

test.each([
  ['expiresIn', 60, 86_400],
  ['maxViewers', 1, 1000],
])('%s goes from %d to %d.', (field, min, max) => {
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
])('The permissions %j are kept as %j.', (given, kept) => {
  expect(shareRequest.parse({ ...least, permissions: given }).permissions).toEqual(kept);
});

test.each([[[]], [['fly']], ['view'], [null]])('The permissions %j are refused.', (permissions) => {
  expect(shareRequest.safeParse({ ...least, permissions }).success).toBe(false);
});

test.each([
  ['no resource', { shareType: 'STREAM' }],
  ['an empty resource', { ...least, resourceId: '' }],
  ['no type', { resourceId: 'device-1' }],
  ['an unknown type', { ...least, shareType: 'AUDIO' }],
  ['metadata that is a list', { ...least, metadata: [] }],
  ['an unknown field', { ...least, expires: 60 }],
])('A request with %s is refused.', (_, request) => {
  expect(shareRequest.safeParse(request).success).toBe(false);
});

test('A new share has nobody watching and ends when its time is over.', () => {
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
  ['stands a millisecond before it ends', '2026-11-27T10:59:59.999Z', false],
  ['is over at the very moment that it ends', '2026-11-27T11:00:00.000Z', true],
  ['is over a millisecond later', '2026-11-27T11:00:00.001Z', true],
])('A share %s.', (_, moment, over) => {
  expect(hasExpired(sampleShare(), moment)).toBe(over);
});

test('A share lives for just as long as was asked for.', () => {
  const moments = fc.date({ min: new Date('2020-01-01Z'), max: new Date('2090-01-01Z'), noInvalidDate: true });
  fc.assert(
    fc.property(moments, fc.integer({ min: 60, max: 86_400 }), (start, expiresIn) => {
      const share = newShare(shareRequest.parse({ ...least, expiresIn }), 'device-1', 'share-1', start.toISOString());
      const after = (ms: number) => new Date(start.getTime() + ms).toISOString();
      expect(hasExpired(share, after(expiresIn * 1000 - 1))).toBe(false);
      expect(hasExpired(share, after(expiresIn * 1000))).toBe(true);
    }),
  );
});
