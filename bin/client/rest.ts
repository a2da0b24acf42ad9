import { Agent, fetch, type Headers } from 'undici';

/** Content of a request. */
export interface Request {
  readonly headers?: Readonly<Record<string, string>>;
  /** Goes as JSON. */
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** What its JSON says; the text itself when it is none. */
  readonly body: unknown;
}

/** Sends requests to an API; to be closed when done. */
export class Rest {
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

  /** @throws Error of undici when no answer comes, with the reason as its cause */
  async send(method: string, path: string, { headers, body, signal }: Request = {}): Promise<Answer> {
    const response = await fetch(this.baseUrl + path, {
      method,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
      redirect: 'manual',
      dispatcher: this.#agent,
    });
    return { status: response.status, headers: response.headers, body: read(await response.text()) };
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }
}

function read(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
