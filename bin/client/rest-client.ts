import { Agent, fetch, type Headers } from 'undici';

/** Content of a request. */
export interface Request {
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed JSON, or the text when it is not JSON. */
  readonly body: unknown;
}

/** An HTTP client for one base URL. Must be closed. */
export class RestClient {
  readonly #agent: Agent;

  /**
   * @param baseUrl without a slash at the end
   * @param ca certificate authorities to trust, the public ones by default
   */
  constructor(
    readonly baseUrl: string,
    ca?: readonly string[],
  ) {
    this.#agent = new Agent({ connect: ca ? { ca: [...ca] } : {} });
  }

  /** @throws Error of undici without an answer, with the reason as its cause */
  async send(method: string, path: string, { headers, body, signal }: Request = {}): Promise<Answer> {
    const response = await fetch(this.baseUrl + path, {
      method,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
      redirect: 'manual',
      dispatcher: this.#agent,
    });
    return { status: response.status, headers: response.headers, body: parseBody(await response.text()) };
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }
}

function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
