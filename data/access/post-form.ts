import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { text } from 'node:stream/consumers';

export interface FormResponse {
  readonly status: number;
  readonly body: string;
}

/**
 * Sends a form by POST. Lambda purges idle connections while a function is frozen, and reusing one fails (developer guide, "Best
 * practices", on keep-alive), so the request is sent once more after a connection error. `fetch` would do, but loading it takes
 * 20 ms of a start, and the SDK has loaded `https` anyway.
 * @param url `https:` or, on one machine, `http:`
 * @param timeoutMs for both attempts together
 * @throws Error when the server can't be reached, DOMException `TimeoutError`
 */
export async function postForm(url: string, form: URLSearchParams, timeoutMs: number): Promise<FormResponse> {
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    return await send(url, form, signal);
  } catch (error) {
    if (signal.aborted) throw error;
    return send(url, form, signal);
  }
}

async function send(url: string, form: URLSearchParams, signal: AbortSignal): Promise<FormResponse> {
  const { request } = url.startsWith('https:') ? https : http;
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const sent = request(url, { method: 'POST', headers, signal });
  // An error after the response has begun ends its body, too.
  sent.on('error', () => undefined);
  sent.end(form.toString());
  try {
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return { status: response.statusCode ?? 0, body: await text(response) };
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}
