/** Nothing can be posted to a connection before its handshake is over: waits until then, in ms. */
export const OPENING_MS: readonly number[] = [20, 40, 80, 160, 320, 640];
