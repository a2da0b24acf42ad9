/**
 * The header with a secret by which CloudFront proves to the WebSocket API that a handshake came through it. It is not part
 * of the public interface: CloudFront replaces any value that a client sends (developer guide, "Add custom headers to origin
 * requests").
 */
export const ORIGIN_VERIFY = 'x-origin-verify';
