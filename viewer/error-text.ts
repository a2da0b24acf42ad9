import { texts } from './locale';
import type { ErrorCode } from './parse-message';

/** What a viewer can do about it; the service's own words are for developers. */
const { controls, video } = texts;
const known: Partial<Record<ErrorCode, string>> = {
  forbidden: controls.forbidden,
  share_not_found: controls.shareEnded,
  too_many_requests: controls.tooMany,
  cannot_command: controls.notNow,
  invalid_request: controls.notSupported,
  internal_error: controls.notSent,
  no_video_stream: video.noStream,
};

/** The text that the page shows for an error code; undefined for one that it does not know. */
export const errorText = (code = ''): string | undefined =>
  Object.hasOwn(known, code) ? known[code as ErrorCode] : undefined;
