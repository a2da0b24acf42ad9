import type { Scope } from '../../contract/terms/scopes';
import { RestClient } from '../../bin/client/rest-client';
import type { Facts } from '../api/stack/facts';
import type { Organisation } from './organisations';
import type { CountedCall } from './rate-limit-violations';
import type { CheckedAnswer } from './job-model';
import type { HistoryRecorder } from './history-recorder';

/** Timeout of a request, in ms. */
const ANSWER_TIMEOUT_MS = 60_000;

/** An answer with the times of its request and arrival, in ms of one clock. */
export interface TimedAnswer extends CheckedAnswer {
  readonly start: number;
  readonly end: number;
  readonly headers: { get(name: string): string | null };
}

export interface RequestContent {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An API client of an organisation, with its token. */
export class Caller {
  private constructor(
    readonly name: string,
    readonly organisation: Organisation,
    readonly clientId: string,
    readonly scopes: readonly string[],
    readonly token: string,
    private readonly rest: RestClient,
  ) {}

  /** @throws Error when no token is issued */
  static async of(facts: Facts, organisation: Organisation, index: number): Promise<Caller> {
    const partner = organisation.partners[index];
    if (!partner) throw new Error(`${organisation.name} has no client ${index}`);
    const { clientId, clientSecret, apiKey, scopes } = partner;
    const rest = new RestClient(facts.baseUrl);
    const { status, body } = await rest.send('POST', '/v3/auth/token', {
      headers: { 'x-api-key': apiKey },
      body: { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret },
    });
    const { access_token: token } = body as { access_token?: string };
    if (token === undefined) throw new Error(`no token: ${status}`);
    return new Caller(`${organisation.name}/${index + 1}`, organisation, clientId, scopes, token, rest);
  }

  hasScope(scope: Scope): boolean {
    return this.scopes.includes(scope);
  }

  /** Calls the API. @throws Error when there is no answer */
  async call(method: string, path: string, { body, headers }: RequestContent = {}): Promise<TimedAnswer> {
    const start = performance.now();
    const answer = await this.rest.send(method, path, {
      headers: { authorization: `Bearer ${this.token}`, ...headers },
      ...(body !== undefined && { body }),
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    });
    const end = performance.now();
    const etag = answer.headers.get('etag') ?? undefined;
    const content = typeof answer.body === 'object' ? (answer.body as Record<string, unknown>) : {};
    return { status: answer.status, headers: answer.headers, etag, body: content, start, end };
  }

  /** How a call of a rate-limited endpoint was counted; undefined without the headers. */
  countOf(endpoint: string, { status, headers }: TimedAnswer): CountedCall | undefined {
    const [limit, remaining, reset] = ['Limit', 'Remaining', 'Reset'].map((n) => headers.get(`x-ratelimit-${n}`));
    if (limit == null || remaining == null || reset == null) return undefined;
    const window = `${this.name} ${endpoint} until ${reset}`;
    return { window, limit: Number(limit), remaining: Number(remaining), refused: status === 429 };
  }

  close(): Promise<void> {
    return this.rest.close();
  }
}

/**
 * Makes a call and checks what holds for every answer: 403 without the scope, never 5xx.
 * @returns undefined when that decided it
 */
export async function callChecked(
  recorder: HistoryRecorder,
  caller: Caller,
  label: string,
  scope: Parameters<Caller['hasScope']>[0],
  run: () => Promise<TimedAnswer>,
): Promise<TimedAnswer | undefined> {
  const answer = await run().catch((error: unknown) => {
    recorder.addViolation(label, `no answer: ${error instanceof Error ? error.message : String(error)}`);
  });
  if (!answer) return undefined;
  const { status, headers } = answer;
  if (status >= 500)
    recorder.addViolation(label, `${status}, request ${headers.get('x-request-id') ?? 'without an id'}`);
  else if (!caller.hasScope(scope)) {
    if (status !== 403) recorder.addViolation(label, `${status} without the scope ${scope}`);
  } else return answer;
  return undefined;
}

/** Expects one of these statuses, for calls that do not depend on a resource's state. */
export function expectStatus(
  recorder: HistoryRecorder,
  label: string,
  { status }: TimedAnswer,
  ...expected: readonly number[]
): void {
  if (!expected.includes(status)) recorder.addViolation(label, `${status} in place of ${expected.join(' or ')}`);
}
