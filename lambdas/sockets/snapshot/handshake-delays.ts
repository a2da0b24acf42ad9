/** Waits between attempts, in ms: API Gateway accepts no post to a connection before its handshake has finished. */
export const HANDSHAKE_RETRY_DELAYS_MS: readonly number[] = [20, 40, 80, 160, 320, 640];
