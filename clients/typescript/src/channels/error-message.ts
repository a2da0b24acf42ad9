import { ApiError, type ErrorDetail } from '../errors.ts';

/** `{"type":"error"}`, the answer to a message that the service refuses. */
export interface ErrorMessage {
  readonly type: 'error';
  readonly code: string;
  readonly error: string;
  readonly details?: readonly ErrorDetail[];
  readonly requestId?: string;
}

/** The error for a message that the service has refused. */
export const refusalOfMessage = (subject: string, { code, error, details, requestId }: ErrorMessage): ApiError =>
  new ApiError(subject, { status: 0, error, code, details, requestId });
