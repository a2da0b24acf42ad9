import type { StatusMessage } from '../../domain/channels/status-message';
import { until } from './until';

/** A received message of any kind. */
export type Message = Readonly<Record<string, unknown>> & Partial<Pick<StatusMessage, 'sequence' | 'timestamp'>>;

/** Key by which a repeated state is recognised; undefined for messages without a state. */
function stateKeyOf({ type, sequence, commandId, jobId, deviceId, shareCode, timestamp }: Message): string | undefined {
  if (!String(type).endsWith('.status')) return undefined;
  // Positions on a job's channel have the sequence of the job and their own timestamp.
  return JSON.stringify([
    type,
    commandId ?? jobId ?? deviceId ?? shareCode,
    sequence,
    type === 'job.status' && timestamp,
  ]);
}

/** Messages that a client has received so far, in order. */
export class MessageLog {
  /** All messages as received. */
  readonly texts: string[] = [];

  /** Messages without repeated states, since delivery is at least once. */
  readonly messages: Message[] = [];
  private readonly known = new Set<string>();

  protected add(text: string): void {
    this.texts.push(text);
    const message = JSON.parse(text) as Message;
    const state = stateKeyOf(message);
    if (state === undefined || !this.known.has(state)) this.messages.push(message);
    if (state !== undefined) this.known.add(state);
  }

  /** Waits for `count` messages and returns them. */
  async first(count: number): Promise<Message[]> {
    const enough = () => (this.messages.length >= count ? true : undefined);
    await until(`receiving ${count} messages`, enough, () => this.texts);
    return this.messages.slice(0, count);
  }

  /** Waits for a message with these fields and returns the first one. */
  like(part: Readonly<Record<string, unknown>>): Promise<Message> {
    const hasAll = (message: Message) => Object.entries(part).every(([name, value]) => message[name] === value);
    const look = () => this.messages.find(hasAll);
    return until(`receiving ${JSON.stringify(part)}`, look, () => this.texts);
  }
}
