import { createWithKey, keyModel, limitFaults } from './creation-model';
import { explain, type Step } from './explain';
import {
  arrive,
  createShare,
  leave,
  readShare,
  revokeShare,
  shareModel,
  takeSeat,
  type ShareState,
} from './share-model';

const at = (start: number, end: number) => ({ start, end, label: 'step' });
const isExplained = (...steps: readonly Step<ShareState>[]) =>
  explain([createShare(at(0, 1)), ...steps], shareModel).order !== undefined;
const answer = (status: number) => ({ status, etag: undefined, body: {} });

describe('A share', () => {
  test('is read until it is revoked, and not afterwards.', () => {
    const revoked = revokeShare(at(4, 5), answer(200), false);
    expect(isExplained(readShare(at(2, 3), answer(200), false, 200), revoked)).toBe(true);
    expect(isExplained(revoked, readShare(at(6, 7), answer(404), false, 200))).toBe(true);
    expect(isExplained(revoked, readShare(at(6, 7), answer(200), false, 200))).toBe(false);
  });

  test('is revoked once, also by two at the same time.', () => {
    const once = revokeShare(at(2, 5), answer(200), false);
    expect(isExplained(once, revokeShare(at(3, 6), answer(404), false))).toBe(true);
    expect(isExplained(once, revokeShare(at(3, 6), answer(200), false))).toBe(false);
  });

  test('lets in as many viewers as it has seats, and the next one when one has gone.', () => {
    const enters = (start: number, status: number) => [
      arrive(at(start, start + 1), status),
      takeSeat(at(start, start + 1), status, 1),
    ];
    expect(isExplained(...enters(2, 101), ...enters(4, 429))).toBe(true);
    expect(isExplained(...enters(2, 101), ...enters(4, 101))).toBe(false);
    expect(isExplained(...enters(2, 101), leave({ start: 4, label: 'goes' }), ...enters(5, 101))).toBe(true);
    expect(isExplained(...enters(2, 429))).toBe(false);
  });
});

describe('A creation with a key', () => {
  const keyed = (body: string, answered: string | undefined) => createWithKey(at(0, 1), body, answered);
  const isKept = (...steps: ReturnType<typeof keyed>[]) => explain(steps, keyModel).order !== undefined;

  test('gives the first answer again, and refuses another body.', () => {
    expect(isKept(keyed('a', 'first'), keyed('a', 'first'), keyed('b', undefined))).toBe(true);
    expect(isKept(keyed('a', 'first'), keyed('a', 'second'))).toBe(false);
    expect(isKept(keyed('a', 'first'), keyed('b', 'second'))).toBe(false);
    expect(isKept(keyed('a', undefined))).toBe(false);
  });
});

describe('Calls within a minute', () => {
  const call = (remaining: number, refused = false) => ({ window: 'w', limit: 3, remaining, refused });

  test('are counted one by one up to the limit.', () => {
    expect(limitFaults([call(1), call(2), call(0), call(0, true)])).toEqual([]);
    expect(limitFaults([call(2), call(2)])).toHaveLength(1);
    expect(limitFaults([call(2), call(0)])).toHaveLength(1);
    expect(limitFaults([call(2), call(1), call(1, true)])).toHaveLength(1);
  });
});
