import {
  ApiError,
  ConnectionError,
  isTemporary,
  refusalOfMessage,
  type ErrorDetail,
  type ErrorMessage,
} from '../errors.ts';
import type { components } from '../messages.ts';
import { sleep, untilAborted, waitBefore } from '../waiting.ts';
import type { ChannelSettings } from './connection.ts';
import { SocketLife, type Socket } from './socket.ts';

/** Limits of one message: the service takes 40 samples, and a frame of 32 KB, of which some is the envelope's. */
const MAX_SAMPLES = 40;
const MAX_BYTES = 31_000;

const encoder = new TextEncoder();
const bytesOf = (sample: object) => encoder.encode(JSON.stringify(sample)).length + 1;

/** Splits samples into lists that each fit into a message. */
export function partsOf<Sample extends object>(samples: readonly Sample[]): Sample[][] {
  const parts: Sample[][] = [];
  let bytes = Infinity;
  for (const sample of samples) {
    const more = bytesOf(sample);
    const part = parts.at(-1);
    if (part && part.length < MAX_SAMPLES && bytes + more <= MAX_BYTES) {
      part.push(sample);
      bytes += more;
    } else {
      parts.push([sample]);
      bytes = more;
    }
  }
  return parts;
}

const SUBJECT = 'Publishing telemetry';

/** Code of the answer to a message of which every sample is refused. */
const SAMPLES_REFUSED = 'invalid_request';

/** The service's answer to a message that was published. */
type Answer = Omit<components['schemas']['PublishedMessage'], 'id'> | ErrorMessage;

interface LivingSocket {
  readonly socket: Socket;
  readonly life: SocketLife;
}

/** Publishes samples over one connection, which is opened when it is needed and again after it was lost. */
export class TelemetryPublisher {
  readonly #answers = new Map<number, (answer: Answer | ConnectionError) => void>();
  readonly #closing = new AbortController();
  #connection: Promise<LivingSocket> | undefined;
  #lastId = 0;

  /** @param url of the telemetry endpoint */
  constructor(
    private readonly url: string,
    private readonly settings: ChannelSettings,
  ) {}

  /**
   * Publishes samples, in parts that fit into a frame. Samples that are refused don't keep the others from being sent.
   * @returns how many were accepted
   * @throws ApiError when samples were refused, after everything was sent; other ApiErrors, ConnectionError, the reason
   * of the signal
   */
  async publish(samples: readonly object[], signal?: AbortSignal): Promise<number> {
    let accepted = 0;
    let sent = 0;
    const details: ErrorDetail[] = [];
    let refusal: ErrorMessage | undefined;
    for (const part of partsOf(samples)) {
      const answer = await this.#publishPart(part, signal);
      const offset = sent;
      sent += part.length;
      if (answer.type === 'published') accepted += answer.accepted;
      else refusal = answer;
      const refused = answer.type === 'published' ? answer.refused : answer.details;
      details.push(...(refused ?? []).map(({ path, message }) => ({ path: shifted(path, offset), message })));
    }
    if (!refusal && details.length === 0) return accepted;
    throw samplesRefused({ ...refusal, details }, accepted);
  }

  close(): void {
    this.#closing.abort(new ConnectionError('interrupted', `${SUBJECT} was ended: the client is closed.`));
    this.#drop();
  }

  async #publishPart(telemetry: readonly object[], signal: AbortSignal | undefined): Promise<Answer> {
    for (let attempt = 1; ; attempt++) {
      const answer = await this.#ask(telemetry, signal).catch((error: unknown) => {
        const isRefusedToken = error instanceof ApiError && error.status === 401 && attempt === 1;
        if (attempt > this.settings.maxRetries || !(isTemporary(error, false) || isRefusedToken)) throw error;
        return undefined;
      });
      if (answer !== undefined) return answer;
      await sleep(waitBefore(attempt), signal);
    }
  }

  /** Sends one message and waits for its answer, which may be that its samples are refused. @throws for any other error */
  async #ask(telemetry: readonly object[], signal: AbortSignal | undefined): Promise<Answer> {
    const { socket } = await untilAborted(this.#open(), signal);
    const id = ++this.#lastId;
    try {
      const answered = new Promise<Answer | ConnectionError>((resolve) => this.#answers.set(id, resolve));
      socket.send(JSON.stringify({ action: 'publish', id, telemetry }));
      const stop = new AbortController();
      const late = sleep(this.settings.answerWithinMs, stop.signal).then(() => brokenConnection());
      late.catch(() => undefined);
      const answer = await untilAborted(Promise.race([answered, late]), signal).finally(() => stop.abort());
      if (answer instanceof ConnectionError) {
        this.#drop();
        throw answer;
      }
      if (answer.type === 'error' && answer.code !== SAMPLES_REFUSED) throw refusalOfMessage(SUBJECT, answer);
      return answer;
    } finally {
      this.#answers.delete(id);
    }
  }

  /** The open connection; a new one when there is none, or when it can't go on. */
  async #open(): Promise<LivingSocket> {
    const connection = this.#connection;
    const open = await connection;
    if (open && (await open.life.goesOn(open.socket))) return open;
    // Another call may have opened the next one meanwhile.
    if (open && this.#connection === connection) this.#drop();
    this.#connection ??= this.#connect();
    return this.#connection.catch((error: unknown) => {
      this.#connection = undefined;
      throw error;
    });
  }

  async #connect(): Promise<LivingSocket> {
    const { open, tokens, answerWithinMs } = this.settings;
    const { signal } = this.#closing;
    const token = await tokens?.get(signal);
    const request = { url: this.url, token: token?.token, subject: SUBJECT, signal };
    const life = new SocketLife(token && tokens ? { token, tokens, answerWithinMs } : undefined);
    const onMessage = (text: string) => {
      const answer = JSON.parse(text) as Answer & { readonly id?: number };
      if (life.take(answer)) return;
      if (answer.id !== undefined) this.#answers.get(answer.id)?.(answer);
    };
    const socket = await open({ ...request, onMessage }).catch((error: unknown) => {
      if (token && error instanceof ApiError && error.status === 401) tokens?.forget(token.token);
      throw error;
    });
    const connection = { socket, life };
    void socket.closed.then(() => this.#lost(connection));
    return connection;
  }

  #lost(connection: LivingSocket): void {
    void this.#connection?.then((current) => {
      if (current !== connection) return;
      this.#connection = undefined;
      for (const answer of this.#answers.values()) answer(brokenConnection());
    });
  }

  #drop(): void {
    void this.#connection?.then(
      ({ socket }) => socket.close(),
      () => undefined,
    );
    this.#connection = undefined;
  }
}

/** A path of a part as that of the list which the caller handed in: the service counts from the beginning of the part. */
const shifted = (path: string, offset: number) =>
  path.replace(/^telemetry\.(\d+)/, (_, index: string) => `telemetry.${Number(index) + offset}`);

/** The error for samples that were refused, with whatever the service said when it refused all of a part. */
const samplesRefused = (
  { error = SAMPLES_REFUSED, details, requestId }: Partial<ErrorMessage>,
  accepted: number,
): ApiError =>
  new ApiError(
    SUBJECT,
    { status: 0, error, code: SAMPLES_REFUSED, details, requestId, accepted },
    `Accepted: ${accepted}`,
  );

const brokenConnection = () =>
  new ConnectionError(
    'interrupted',
    `${SUBJECT} got no answer: the connection broke. Try again, and check the network.`,
  );
