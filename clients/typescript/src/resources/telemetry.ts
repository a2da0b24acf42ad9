import type { FollowOptions } from '../channels/connection.ts';
import type { StatusChannels } from '../channels/follow.ts';
import { TelemetryPublisher } from '../channels/publisher.ts';
import type { CallOptions } from '../http/rest.ts';
import type { DeviceTelemetryMessage, TelemetrySample } from '../types.ts';

const PATH = '/telemetry';

/** One device, or all devices of a group. */
export type TelemetrySource = { readonly deviceId: string } | { readonly deviceGroupId: string };

/** Live telemetry of devices. */
export class Telemetry {
  #publisher: TelemetryPublisher | undefined;

  constructor(private readonly channels: StatusChannels) {}

  /**
   * The last known state of each device, then every sample. Ends only by `break` or the signal.
   * @throws ApiError, ConnectionError, the reason of the signal
   */
  follow(
    source: TelemetrySource,
    options: FollowOptions = {},
  ): AsyncGenerator<DeviceTelemetryMessage, void, undefined> {
    return this.channels.follow<DeviceTelemetryMessage>(
      {
        path: PATH,
        subject: 'Following telemetry',
        request: { action: 'subscribe', ...source, batch: true },
        isLast: () => false,
      },
      options,
    );
  }

  /**
   * Publishes samples of the organisation's devices, over a connection that stays open until {@link close}. Long lists are sent
   * in parts; what may not have arrived is sent again, since the service ignores what it already has. Each sample is judged by
   * itself: when some are refused, all others are published, and an error says so at the end.
   * @returns the number of samples that the service has accepted
   * @throws ApiError with the code `invalid_request` when samples were refused: `details` names each fault by the
   *   sample's place in the list, such as `telemetry.2.timestamp`, and `accepted` is the number of samples that were
   *   accepted
   * @throws other ApiErrors, ConnectionError, the reason of the signal, when not all samples were sent
   */
  publish(samples: TelemetrySample | readonly TelemetrySample[], { signal }: CallOptions = {}): Promise<number> {
    this.#publisher ??= new TelemetryPublisher(this.channels.urlOf(PATH), this.channels.settings);
    return this.#publisher.publish([samples].flat(), signal);
  }

  /** Closes the connection that samples are published over. */
  close(): void {
    this.#publisher?.close();
    this.#publisher = undefined;
  }
}

/** What the age of a device's state depends on. */
interface Aged {
  /** When the device measured it. */
  readonly timestamp: string;
  /** When the service received it. */
  readonly receivedAt: string;
  /** Seconds, as the service says in a snapshot. */
  readonly age?: number | undefined;
}

/**
 * How old a message of telemetry was when the service sent it, in seconds: of a snapshot its `age`, of a sample the time from its
 * measurement to its arrival at the service. Never negative, and independent of the clock of this machine.
 */
export const ageOf = ({ timestamp, receivedAt, age }: Aged): number =>
  age ?? Math.max(0, (Date.parse(receivedAt) - Date.parse(timestamp)) / 1000);
