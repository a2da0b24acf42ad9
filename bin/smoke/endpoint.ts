import * as z from 'zod';
import { endpointTable, routeOf } from '../../contract/access';
import { endpoints, type EndpointKey } from '../../contract/endpoints';
import type { Answer } from '../client/rest';
import type { Story } from './story';
import { inOneLine, reasonOf, Unexpected } from './unexpected';

/** What a call of an endpoint holds beside its key. */
export interface Call {
  readonly path?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** In place of the story's token; null: none. */
  readonly token?: string | null;
}

/** The promised answer of an endpoint. */
export type Reply<Key extends EndpointKey> = z.output<(typeof endpoints)[Key]['reply']['body']>;

/** Path of an endpoint with its parameters filled in. */
const pathOf = (key: EndpointKey, parameters: Readonly<Record<string, string>> = {}) =>
  routeOf(key).path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(parameters[name] ?? 'none'));

/** Calls an endpoint. @throws Unexpected when no answer comes, Missing without a token */
export const call = (story: Story, key: EndpointKey, { path, headers, body, token }: Call = {}): Promise<Answer> => {
  const held = token === undefined ? story.take('token') : token;
  const authorization = held === null ? {} : { authorization: `Bearer ${held}` };
  return send(story, routeOf(key).method, pathOf(key, path), { headers: { ...authorization, ...headers }, body });
};

/** Sends any request. @throws Unexpected when no answer comes */
export async function send(story: Story, method: string, path: string, content: Pick<Call, 'headers' | 'body'>) {
  try {
    const { answerMs } = story.patience;
    return await story.within(answerMs, (signal) => story.rest.send(method, path, { ...content, signal }));
  } catch (error) {
    throw new Unexpected('an answer', reasonOf(error));
  }
}

/**
 * The body that the contract promises when all went well.
 * @throws Unexpected when the answer has another status or form
 */
export function replied<Key extends EndpointKey>(key: Key, answer: Answer): Reply<Key> {
  const { status, body } = endpointTable[key].reply;
  if (answer.status !== status) throw new Unexpected(`${status}`, inOneLine(answer));
  const parsed = z.safeParse(body, answer.body);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const where = [z.core.toDotPath(issue?.path ?? []), issue?.message].filter(Boolean).join(': ');
    throw new Unexpected(`${status} as the contract has it (${where})`, inOneLine(answer));
  }
  return parsed.data as Reply<Key>;
}

/** Calls an endpoint, and gives what it promises. @throws Unexpected when something else comes */
export const ask = async <Key extends EndpointKey>(story: Story, key: Key, content?: Call): Promise<Reply<Key>> =>
  replied(key, await call(story, key, content));

const refusal = z.looseObject({ error: z.string() });

/** @throws Unexpected unless the answer is this refusal */
export function expectRefusal(answer: Answer, status: number, error: string): void {
  const read = refusal.safeParse(answer.body);
  if (answer.status !== status || read.data?.error !== error) {
    throw new Unexpected(`${status} ${JSON.stringify({ error })}`, inOneLine(answer));
  }
}

/** @throws Unexpected unless it is so */
export function expectThat(so: boolean, expected: string, came: () => string): void {
  if (!so) throw new Unexpected(expected, came());
}
