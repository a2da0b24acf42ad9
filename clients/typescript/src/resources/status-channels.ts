import type { Channel, ChannelSettings, FlightFollowOptions } from '../channels/channel.ts';
import { follow } from '../channels/follow.ts';
import type { SequencedMessage } from '../channels/received.ts';
import { DroneMissionError } from '../errors.ts';

/** A channel by its path below `wsUrl`. */
export interface ChannelAt extends Omit<Channel, 'url'> {
  readonly path: string;
}

/** The channels below the service's `wsUrl`. */
export class StatusChannels {
  constructor(
    readonly settings: ChannelSettings,
    private readonly wsUrl: string | undefined,
  ) {}

  /** The address of a path. @throws DroneMissionError when the client does not know `wsUrl` */
  urlOf(path: string): string {
    if (this.wsUrl !== undefined) return this.wsUrl + path;
    throw new DroneMissionError('wsUrl is missing: the client needs the address of the channels, wss://….');
  }

  /** The messages of a channel. @throws ApiError, ConnectionError, the reason of the signal */
  follow<Message extends SequencedMessage>(
    { path, ...channel }: ChannelAt,
    options: FlightFollowOptions,
  ): AsyncGenerator<Message, void, undefined> {
    return follow<Message>({ ...channel, url: this.urlOf(path) }, this.settings, options);
  }
}
