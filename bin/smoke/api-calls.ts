import * as z from 'zod';
import { endpointTable, splitEndpointKey } from '../../contract/endpoint-table';
import { endpoints, type EndpointKey } from '../../contract/endpoints';
import type { Answer } from '../client/rest-client';
import type { SmokeContext } from './smoke-context';
import { inOneLine, reasonOf, Unexpected } from './errors';
import { HandshakeRefused } from '../client/websocket';

/** Content of an endpoint's call. */
export interface Call {
  readonly path?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Replaces the token of the run; null: no token. */
  readonly token?: string | null;
}

/** The success body that the contract defines for an endpoint. */
export type Reply<Key extends EndpointKey> = z.output<(typeof endpoints)[Key]['reply']['body']>;

/** Path of an endpoint with its parameters filled in. */
const pathOf = (key: EndpointKey, parameters: Readonly<Record<string, string>> = {}) =>
  splitEndpointKey(key).path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(parameters[name] ?? 'none'),
  );

/** Calls an endpoint. @throws Unexpected without an answer, MissingPrerequisite without a token */
export const call = (
  context: SmokeContext,
  key: EndpointKey,
  { path, headers, body, token }: Call = {},
): Promise<Answer> => {
  const bearer = token === undefined ? context.get('token') : token;
  const authorization = bearer === null ? {} : { authorization: `Bearer ${bearer}` };
  return send(context, splitEndpointKey(key).method, pathOf(key, path), {
    headers: { ...authorization, ...headers },
    body,
  });
};

/** Sends any request. @throws Unexpected without an answer */
export async function send(
  context: SmokeContext,
  method: string,
  path: string,
  content: Pick<Call, 'headers' | 'body'>,
) {
  try {
    const { answerMs } = context.timeouts;
    return await context.withTimeout(answerMs, (signal) => context.rest.send(method, path, { ...content, signal }));
  } catch (error) {
    throw new Unexpected('an answer', reasonOf(error));
  }
}

/**
 * The success body that the contract defines.
 * @throws Unexpected when the answer has another status or shape
 */
export function expectReply<Key extends EndpointKey>(key: Key, answer: Answer): Reply<Key> {
  const { status, body } = endpointTable[key].reply;
  if (answer.status !== status) throw new Unexpected(`${status}`, inOneLine(answer));
  const parsed = z.safeParse(body, answer.body);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const where = [z.core.toDotPath(issue?.path ?? []), issue?.message].filter(Boolean).join(': ');
    throw new Unexpected(`${status} as in the contract (${where})`, inOneLine(answer));
  }
  return parsed.data as Reply<Key>;
}

/** Calls an endpoint and returns its success body. @throws Unexpected for any other answer */
export const callAndExpectReply = async <Key extends EndpointKey>(
  context: SmokeContext,
  key: Key,
  content?: Call,
): Promise<Reply<Key>> => expectReply(key, await call(context, key, content));

const refusal = z.looseObject({ error: z.string() });

/** @throws Unexpected unless the answer is this refusal */
export function expectRefusal(answer: Answer, status: number, error: string): void {
  const parsed = refusal.safeParse(answer.body);
  if (answer.status !== status || parsed.data?.error !== error) {
    throw new Unexpected(`${status} ${JSON.stringify({ error })}`, inOneLine(answer));
  }
}

/** @throws Unexpected unless the condition holds */
export function expectThat(holds: boolean, expected: string, actual: () => string): void {
  if (!holds) throw new Unexpected(expected, actual());
}

/**
 * Opens a WebSocket without a token and expects a refusal: any 4xx, since AWS does not document that CloudFront passes on
 * the status of the service.
 * @param promised the documented status
 * @returns a note when the status is another 4xx
 * @throws Unexpected when the socket opens or fails in another way
 */
export async function expectRefusedHandshake(
  context: SmokeContext,
  path: string,
  promised: number,
): Promise<string | undefined> {
  const outcome = await context.openWebSocket(path).catch((error: unknown) => error);
  if (outcome instanceof HandshakeRefused && outcome.status >= 400 && outcome.status < 500) {
    return outcome.status === promised ? undefined : `refused with ${outcome.status} instead of ${promised}`;
  }
  const actual = outcome instanceof Error ? reasonOf(outcome) : 'an open socket';
  throw new Unexpected(`a handshake that is refused with ${promised}`, actual);
}

/**
 * A well-formed identifier of something that does not exist, so that the service looks it up.
 * @param id of the same kind and organisation
 */
export const unknownId = (id: string): string => id.replace(/.{6}$/, '000000');
