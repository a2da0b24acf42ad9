/**
 * The header in which CloudFront proves to the WebSocket API that a handshake came through it. It is no part of what
 * partners are promised: what a client sends under this name CloudFront replaces (developer guide, "Add custom headers to
 * origin requests").
 */
export const ORIGIN_VERIFY = 'x-origin-verify';
