import type { Scope } from '../../contract/endpoint';
import { Rest } from '../../bin/client/rest';
import type { Facts } from '../api/stack/facts';
import type { Organisation } from './cast';
import type { CountedCall } from './creation-model';
import type { Answered } from './job-model';

/** How long an answer may take before none is expected any more, in ms. */
const ANSWER_WITHIN_MS = 60_000;

/** An answer, and when it was asked for and came, in ms of one clock. */
export interface Timed extends Answered {
  readonly start: number;
  readonly end: number;
  readonly headers: { get(name: string): string | null };
}

export interface Sent {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A client of an organisation, with its token. */
export class Caller {
  private constructor(
    readonly name: string,
    readonly organisation: Organisation,
    readonly clientId: string,
    readonly scopes: readonly string[],
    readonly token: string,
    private readonly rest: Rest,
  ) {}

  /** @throws Error when no token is issued */
  static async of(facts: Facts, organisation: Organisation, index: number): Promise<Caller> {
    const partner = organisation.partners[index];
    if (!partner) throw new Error(`${organisation.name} has no client ${index}`);
    const { clientId, clientSecret, apiKey, scopes } = partner;
    const rest = new Rest(facts.baseUrl);
    const { status, body } = await rest.send('POST', '/v3/auth/token', {
      headers: { 'x-api-key': apiKey },
      body: { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret },
    });
    const { access_token: token } = body as { access_token?: string };
    if (token === undefined) throw new Error(`no token: ${status}`);
    return new Caller(`${organisation.name}/${index + 1}`, organisation, clientId, scopes, token, rest);
  }

  may(scope: Scope): boolean {
    return this.scopes.includes(scope);
  }

  /** Calls the API. @throws Error when there is no answer */
  async call(method: string, path: string, { body, headers }: Sent = {}): Promise<Timed> {
    const start = performance.now();
    const answer = await this.rest.send(method, path, {
      headers: { authorization: `Bearer ${this.token}`, ...headers },
      ...(body !== undefined && { body }),
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
    const end = performance.now();
    const etag = answer.headers.get('etag') ?? undefined;
    const content = typeof answer.body === 'object' ? (answer.body as Record<string, unknown>) : {};
    return { status: answer.status, headers: answer.headers, etag, body: content, start, end };
  }

  /** How a call of a limited endpoint was counted; undefined when it was not. */
  countOf(endpoint: string, { status, headers }: Timed): CountedCall | undefined {
    const [limit, remaining, reset] = ['Limit', 'Remaining', 'Reset'].map((n) => headers.get(`x-ratelimit-${n}`));
    if (limit == null || remaining == null || reset == null) return undefined;
    const window = `${this.name} ${endpoint} until ${reset}`;
    return { window, limit: Number(limit), remaining: Number(remaining), refused: status === 429 };
  }

  close(): Promise<void> {
    return this.rest.close();
  }
}
