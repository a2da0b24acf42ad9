import { retryAfterIn } from '../backoff.ts';
import { ApiError, type ErrorDetail } from '../errors.ts';

/** Body of an error: of a resource endpoint, or of the token endpoint (RFC 6749 section 5.2). */
interface ErrorBody {
  readonly error?: string;
  readonly error_description?: string;
  readonly details?: readonly ErrorDetail[];
  readonly message?: string;
}

/** The text of a refusal without a body, such as that of a handshake, by status. */
const texts: Readonly<Record<number, string>> = {
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not found',
  429: 'Too many requests',
};

/** What to do about a refusal whose answer does not say more than its status does. */
const hints: Readonly<Record<number, string>> = {
  401: 'Check that the token was issued by this deployment and has not expired',
  403: 'The client lacks the scope, or the resource belongs to another organisation',
  404: 'It does not exist (any more), or the identifier is wrong',
  412: 'The job has changed since that version: read it again',
  429: 'The limit of the client is used up: wait before you call again',
};

/** The JSON in an error's body; nothing in what is not JSON. */
function errorBodyOf(text: string): ErrorBody {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? body : {};
  } catch {
    return {};
  }
}

/** What the service answered. */
interface RefusedAnswer {
  readonly status: number;
  readonly header: (name: string) => string | null | undefined;
  readonly text: string;
}

/**
 * The error for an answer that is not a success.
 * @param request what was refused, without identifiers
 * @param hint what to do about it; by default what the status suggests, unless the answer has details
 */
export function refusal(request: string, { status, header, text }: RefusedAnswer, hint?: string): ApiError {
  const { error, error_description: description, details, message } = errorBodyOf(text);
  const said = details ?? (description === undefined ? [] : [{ path: '', message: description }]);
  const facts = {
    status,
    error: error ?? message ?? texts[status] ?? 'no text',
    details: said,
    requestId: header('x-request-id') ?? undefined,
    retryAfterMs: retryAfterIn(header('retry-after')),
  };
  return new ApiError(request, facts, hint ?? (said.length > 0 ? undefined : hints[status]));
}

/** The same for a response whose body is unread. */
export const refusalIn = async (request: string, response: Response, hint?: string): Promise<ApiError> =>
  refusal(
    request,
    { status: response.status, header: (name) => response.headers.get(name), text: await response.text() },
    hint,
  );
