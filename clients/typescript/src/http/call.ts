import { refusalIn } from './refusal.ts';

/** Options that every request takes. */
export interface CallOptions {
  /** Ends the request, which then throws the signal's reason. */
  readonly signal?: AbortSignal;
}

/** What openapi-fetch returns: the body of a success in `data`, that of a refusal in `error`. */
interface Result<Data> {
  readonly data?: Data;
  readonly error?: unknown;
  readonly response: Response;
}

/**
 * The body of a success.
 * @param request method and path without identifiers
 * @throws ApiError with what the service said instead
 */
export async function bodyOf<Data>(request: string, result: Promise<Result<Data>>): Promise<NonNullable<Data>> {
  const { data, error, response } = await result;
  if (data !== undefined && data !== null) return data;
  const { status, headers } = response;
  throw await refusalIn(request, new Response(JSON.stringify(error ?? {}), { status, headers }));
}
