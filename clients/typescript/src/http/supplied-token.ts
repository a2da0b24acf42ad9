import type { IssuedToken } from './token-source.ts';

/** An access token, or a function that returns a valid one: for a browser, which must not know the client's secret. */
export type SuppliedToken = string | (() => string | Promise<string>);

/** Gets a supplied token; its lifetime is what its `exp` leaves. */
export const suppliedToken = (supplied: SuppliedToken) => async (): Promise<IssuedToken> => {
  const token = typeof supplied === 'string' ? supplied : await supplied();
  const expiry = typeof supplied === 'string' ? undefined : expiryOf(token);
  return { token, lifetimeMs: expiry === undefined ? undefined : Math.max(0, expiry - Date.now()) };
};

/** `exp` of a JWT (RFC 7519) in Unix ms; undefined when it can't be read. */
function expiryOf(token: string): number | undefined {
  try {
    const payload = (token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/');
    const { exp } = JSON.parse(atob(payload)) as { exp?: unknown };
    return typeof exp === 'number' ? exp * 1000 : undefined;
  } catch {
    return undefined;
  }
}
