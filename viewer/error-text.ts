import type { SocketErrorCode } from '../contract/refusals';

/** Codes of errors in messages over the socket. */
export type ErrorCode = SocketErrorCode | 'no_video_stream';

/** What a viewer can do about it; the service's own words are for developers. */
const texts: Partial<Record<ErrorCode, string>> = {
  forbidden: 'this link does not allow it',
  share_not_found: 'this link has ended',
  too_many_requests: 'too many commands, wait a minute',
  no_video_stream: 'The device has no video stream',
};

/** The text that the page shows for an error code. */
export const errorText = (code: ErrorCode | undefined): string | undefined => code && texts[code];
