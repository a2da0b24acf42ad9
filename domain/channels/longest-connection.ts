/** API Gateway closes a WebSocket connection two hours after its handshake (quotas of WebSocket APIs), in seconds. */
export const LONGEST_CONNECTION_S = 2 * 60 * 60;
