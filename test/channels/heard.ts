import type { StatusMessage } from '../../domain/status-message';
import { until } from './until';

/** A message of any kind, as it came. */
export type Message = Readonly<Record<string, unknown>> & Partial<Pick<StatusMessage, 'sequence' | 'timestamp'>>;

/** What a listener has heard so far, in order. */
export class Heard {
  readonly texts: string[] = [];

  get messages(): Message[] {
    return this.texts.map((text) => JSON.parse(text) as Message);
  }

  /** The first `count` messages, once they are there. */
  async first(count: number): Promise<Message[]> {
    const enough = () => (this.texts.length >= count ? true : undefined);
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
