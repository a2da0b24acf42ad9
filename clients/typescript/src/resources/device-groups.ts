import type { FlightFollowOptions } from '../channels/connection.ts';
import { bodyOf, type CallOptions, type Rest } from '../http/rest.ts';
import type { DeviceGroup, DeviceStatusMessage, ResourcesQuery } from '../types.ts';
import type { StatusChannels } from '../channels/follow.ts';

/** Device groups with their devices. */
export class DeviceGroups {
  constructor(
    private readonly rest: Rest,
    private readonly channels: StatusChannels,
  ) {}

  /**
   * The device groups of the organisation, each with its devices.
   * @param options with `{ include: 'state' }` each device has its `lastState`: what it reported last, and when
   * @throws ApiError, ConnectionError
   */
  async list({ include, ...options }: CallOptions & ResourcesQuery = {}): Promise<readonly DeviceGroup[]> {
    const query = include === undefined ? {} : { include };
    const found = this.rest.GET('/v3/resources', { ...options, params: { query } });
    return (await bodyOf('GET /v3/resources', found)).resources;
  }

  /**
   * The state of each device of a group, then each change of one. Ends only when the group no longer exists.
   * @throws ApiError, ConnectionError, the reason of the signal
   */
  follow(
    deviceGroupId: string,
    options: FlightFollowOptions = {},
  ): AsyncGenerator<DeviceStatusMessage, void, undefined> {
    return this.channels.follow<DeviceStatusMessage>(
      {
        path: `/v3/devices/${encodeURIComponent(deviceGroupId)}/status/ws`,
        type: 'device.status',
        subject: 'Following a device group',
        isLast: () => false,
      },
      options,
    );
  }
}
