import { createWithKey, keyModel } from './idempotency-model';
import { limitViolations } from './rate-limit-violations';
import { linearize, type Step } from './linearize';
import {
  viewerHandshake,
  createShare,
  releaseSeat,
  readShare,
  revokeShare,
  shareModel,
  takeSeat,
  type ShareState,
} from './share-model';

const at = (start: number, end: number) => ({ start, end, label: 'step' });
const isLinearizable = (...steps: readonly Step<ShareState>[]) =>
  linearize([createShare(at(0, 1)), ...steps], shareModel).order !== undefined;
const answer = (status: number) => ({ status, etag: undefined, body: {} });

describe('A history of a share', () => {
  test('allows reads until it is revoked, and not afterwards', () => {
    const revoked = revokeShare(at(4, 5), answer(200), false);
    expect(isLinearizable(readShare(at(2, 3), answer(200), false, 200), revoked)).toBe(true);
    expect(isLinearizable(revoked, readShare(at(6, 7), answer(404), false, 200))).toBe(true);
    expect(isLinearizable(revoked, readShare(at(6, 7), answer(200), false, 200))).toBe(false);
  });

  test('allows one of two concurrent revocations', () => {
    const once = revokeShare(at(2, 5), answer(200), false);
    expect(isLinearizable(once, revokeShare(at(3, 6), answer(404), false))).toBe(true);
    expect(isLinearizable(once, revokeShare(at(3, 6), answer(200), false))).toBe(false);
  });

  test('allows as many viewers as seats, and another when one has left', () => {
    const enters = (start: number, status: number) => [
      viewerHandshake(at(start, start + 1), status),
      takeSeat(at(start, start + 1), status, 1),
    ];
    expect(isLinearizable(...enters(2, 101), ...enters(4, 429))).toBe(true);
    expect(isLinearizable(...enters(2, 101), ...enters(4, 101))).toBe(false);
    expect(isLinearizable(...enters(2, 101), releaseSeat({ start: 4, label: 'goes' }), ...enters(5, 101))).toBe(true);
    expect(isLinearizable(...enters(2, 429))).toBe(false);
  });
});

describe('A creation with a key', () => {
  const keyed = (body: string, answered: string | undefined) => createWithKey(at(0, 1), body, answered);
  const isKept = (...steps: ReturnType<typeof keyed>[]) => linearize(steps, keyModel).order !== undefined;

  test('gets the first answer again, and is refused with another body', () => {
    expect(isKept(keyed('a', 'first'), keyed('a', 'first'), keyed('b', undefined))).toBe(true);
    expect(isKept(keyed('a', 'first'), keyed('a', 'second'))).toBe(false);
    expect(isKept(keyed('a', 'first'), keyed('b', 'second'))).toBe(false);
    expect(isKept(keyed('a', undefined))).toBe(false);
  });
});

describe('limitViolations', () => {
  const call = (remaining: number, refused = false) => ({ window: 'w', limit: 3, remaining, refused });

  test('expects calls to be counted one by one up to the limit', () => {
    expect(limitViolations([call(1), call(2), call(0), call(0, true)])).toEqual([]);
    expect(limitViolations([call(2), call(2)])).toHaveLength(1);
    expect(limitViolations([call(2), call(0)])).toHaveLength(1);
    expect(limitViolations([call(2), call(1), call(1, true)])).toHaveLength(1);
    expect(limitViolations([call(2), call(1), call(0), call(0)])).toHaveLength(1);
  });

  test('lets a call whose count was repeated read what others have counted meanwhile, and no more', () => {
    expect(limitViolations([call(1), call(1)])).toEqual([]);
    expect(limitViolations([call(2), call(0), call(0)])).toEqual([]);
    expect(limitViolations([call(1), call(0)])).toHaveLength(1);
    expect(limitViolations([call(2), call(1), call(1)])).toHaveLength(1);
  });
});
