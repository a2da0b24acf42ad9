import type { StatusMessage } from '../../domain/status-message';
import { until } from './until';

/** A message of any kind, as it came. */
export type Message = Readonly<Record<string, unknown>> & Partial<Pick<StatusMessage, 'sequence' | 'timestamp'>>;

/** What a state that is said twice has in common both times; undefined for what tells of no state. */
function stateOf({ type, sequence, jobId, deviceId, shareCode, timestamp }: Message): string | undefined {
  if (!String(type).endsWith('.status')) return undefined;
  // Positions on a job's channel have the sequence of the job and a moment of their own.
  return JSON.stringify([type, jobId ?? deviceId ?? shareCode, sequence, type === 'job.status' && timestamp]);
}

/** What a listener has heard so far, in order. */
export class Heard {
  /** As it came. */
  readonly texts: string[] = [];

  /** Each state where it came first: what is delivered at least once may come again. */
  readonly messages: Message[] = [];
  private readonly known = new Set<string>();

  protected hear(text: string): void {
    this.texts.push(text);
    const message = JSON.parse(text) as Message;
    const state = stateOf(message);
    if (state === undefined || !this.known.has(state)) this.messages.push(message);
    if (state !== undefined) this.known.add(state);
  }

  /** The first `count` messages, once they are there. */
  async first(count: number): Promise<Message[]> {
    const enough = () => (this.messages.length >= count ? true : undefined);
    await until(`hearing ${count} messages`, enough, () => this.texts);
    return this.messages.slice(0, count);
  }

  /** The first message that has these fields, once it is there. */
  like(part: Readonly<Record<string, unknown>>): Promise<Message> {
    const hasAll = (message: Message) => Object.entries(part).every(([name, value]) => message[name] === value);
    const look = () => this.messages.find(hasAll);
    return until(`hearing ${JSON.stringify(part)}`, look, () => this.texts);
  }
}
