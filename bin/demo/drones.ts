import type { DroneMissionClient } from 'drone-mission-client';
import type { Place } from './alarm';

/** A drone in its dock. */
export interface Drone {
  readonly deviceId: string;
  readonly name: string;
  readonly place: Place;
}

/** A group of drones. */
interface Group {
  readonly deviceGroupId: string;
  readonly name: string;
  /** Those that have reported where they are. */
  readonly drones: readonly Drone[];
  /** How many it has. */
  readonly size: number;
}

/** The partner's first group. @throws ApiError; Error when it has no group */
export async function firstGroup({ rest }: DroneMissionClient): Promise<Group> {
  const { data } = await rest.GET('/v3/resources', { params: { query: { include: 'state' } } });
  const [group] = data?.resources ?? [];
  if (!group) throw new Error('the demo partner has no drones: stop the stack and remove .local to start afresh');
  const drones = group.devices.flatMap(({ deviceId, name, lastState }) => {
    const [longitude, latitude] = lastState?.navigation?.position?.coordinates ?? [];
    return longitude === undefined || latitude === undefined
      ? []
      : [{ deviceId, name, place: [longitude, latitude] as const }];
  });
  return { deviceGroupId: group.deviceGroupId, name: group.name, drones, size: group.devices.length };
}
