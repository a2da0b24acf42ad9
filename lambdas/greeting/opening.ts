/** Nothing can be posted to a connection before its handshake is over: waits until then, in ms. */
export const OPENING_MS: readonly number[] = [20, 40, 80, 160, 320, 640];

/** The same for who is only told why not: nobody knows whether it is still there, and it may be one of very many. */
export const OPENING_OF_REFUSED_MS: readonly number[] = [30, 90];
