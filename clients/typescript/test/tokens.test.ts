import { ApiError } from '../src/errors.ts';
import { renewalMarginMs, TokenSource, suppliedToken, type IssuedToken } from '../src/http/token-source.ts';

const MINUTE = 60_000;
beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

/** A source that issues `1`, `2`, … for an hour each, and the function that issues them. */
function givenSource(lifetimeMs: number | undefined = 60 * MINUTE) {
  let issued = 0;
  const request = jest.fn(() => Promise.resolve<IssuedToken>({ token: String(++issued), lifetimeMs }));
  return { source: new TokenSource(request), request };
}
const refusal = (status: number) => new ApiError('POST /v3/auth/token', { status, error: 'refused' });

describe('an access token', () => {
  test.each([
    ['an hour', 60 * MINUTE, 6 * MINUTE],
    ['two minutes', 2 * MINUTE, 12_000],
  ])('that is valid for %s is renewed a tenth of that before its end, or six minutes', (_, lifetimeMs, margin) => {
    expect(renewalMarginMs(lifetimeMs)).toBe(margin);
  });

  test('is used until six minutes before its end', async () => {
    const { source, request } = givenSource();
    expect((await source.get()).token).toBe('1');
    jest.advanceTimersByTime(54 * MINUTE - 1);
    expect((await source.get()).token).toBe('1');
    jest.advanceTimersByTime(1);
    expect((await source.get()).token).toBe('2');
    expect(request).toHaveBeenCalledTimes(2);
  });

  test('is requested once for all callers that wait', async () => {
    const { source, request } = givenSource();
    const tokens = await Promise.all([source.get(), source.get(), source.get()]);
    expect(tokens.map(({ token }) => token)).toEqual(['1', '1', '1']);
    expect(request).toHaveBeenCalledTimes(1);
  });

  test('is still awaited by others when one caller stops waiting', async () => {
    const { source } = givenSource();
    const stop = new AbortController();
    const stopped = source.get(stop.signal);
    const other = source.get();
    stop.abort(new Error('enough'));
    await expect(stopped).rejects.toThrow('enough');
    expect((await other).token).toBe('1');
  });

  test('is used to its end while it can’t be renewed', async () => {
    const { source, request } = givenSource();
    await source.get();
    jest.advanceTimersByTime(55 * MINUTE);
    request.mockRejectedValue(refusal(503));
    expect((await source.get()).token).toBe('1');
    expect((await source.get()).token).toBe('1');
    expect(request).toHaveBeenCalledTimes(2);
    jest.advanceTimersByTime(5 * MINUTE);
    await expect(source.get()).rejects.toThrow('503');
  });

  test('is not used when the client is refused a new one', async () => {
    const { source, request } = givenSource();
    await source.get();
    jest.advanceTimersByTime(55 * MINUTE);
    request.mockRejectedValue(refusal(401));
    await expect(source.get()).rejects.toThrow('401');
  });

  test('is replaced after it was refused, unless it has been replaced already', async () => {
    const { source } = givenSource();
    await source.get();
    source.forget('1');
    expect((await source.get()).token).toBe('2');
    source.forget('1');
    expect((await source.get()).token).toBe('2');
  });
});

describe('a supplied token', () => {
  const jwt = (payload: object) => `e30.${Buffer.from(JSON.stringify(payload)).toString('base64url')}.x`;

  test('of a function is asked for again ahead of its exp', async () => {
    const supply = jest.fn(() => jwt({ exp: Date.now() / 1000 + 600 }));
    const source = new TokenSource(suppliedToken(supply));
    await source.get();
    jest.advanceTimersByTime(9 * MINUTE - 1);
    await source.get();
    expect(supply).toHaveBeenCalledTimes(1);
    jest.advanceTimersByTime(1);
    await source.get();
    expect(supply).toHaveBeenCalledTimes(2);
  });

  test.each([
    ['a text', 'opaque'],
    ['a function whose token can’t be read', () => Promise.resolve('opaque')],
    ['a function whose token names no end', () => jwt({})],
  ])('of %s is used until it is refused', async (_, supplied) => {
    const source = new TokenSource(suppliedToken(supplied));
    const { token, renewAt } = await source.get();
    expect(token).not.toBe('');
    expect(renewAt).toBe(Infinity);
  });
});
