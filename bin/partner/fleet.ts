import { listDeviceGroups } from '../../data/fleet/devices';
import {
  listStreams,
  registerDevice,
  registerGroup,
  registerStream,
  deleteRegistration,
} from '../../data/fleet/fleet-registry';
import { newId } from '../../data/store/new-id';
import type { Organisation } from '../../domain/values/id';
import type { PlannedGroup } from './onboarding-plan';
import { allSettled, type Rollback } from './rollback';

/** A device group as onboarding prints it. */
export interface OnboardedGroup {
  readonly deviceGroupId: string;
  readonly name: string;
  readonly devices: readonly { readonly deviceId: string; readonly name: string; readonly streamId?: string }[];
}

/** The device groups that an organisation has. */
export async function readFleet(organisation: Organisation): Promise<readonly OnboardedGroup[]> {
  const [groups, streams] = await Promise.all([listDeviceGroups(organisation), listStreams(organisation)]);
  const streamOf = new Map(streams.map(({ deviceId, streamId }) => [deviceId, streamId]));
  return groups.map(({ deviceGroupId, name, devices }) => ({
    deviceGroupId,
    name,
    devices: devices.map((device) => {
      const streamId = streamOf.get(device.deviceId);
      return { deviceId: device.deviceId, name: device.name, ...(streamId !== undefined && { streamId }) };
    }),
  }));
}

/** Registers device groups with their devices and streams, under new ids in the order of the plan. */
export async function registerFleet(
  organisation: Organisation,
  planned: readonly PlannedGroup[],
  rollback: Rollback,
): Promise<readonly OnboardedGroup[]> {
  const at = new Date();
  const writes: Promise<unknown>[] = [];
  const write = (kind: 'group' | 'device' | 'stream', id: string, registered: Promise<unknown>) => {
    rollback.add(id, () => deleteRegistration(organisation, kind, id));
    writes.push(registered);
  };
  const groups = planned.map(({ name, description, devices }) => {
    const deviceGroupId = newId('group', organisation);
    write('group', deviceGroupId, registerGroup(organisation, { deviceGroupId, name, description }, at));
    return {
      deviceGroupId,
      name,
      devices: devices.map((device) => {
        const deviceId = newId('device', organisation);
        write('device', deviceId, registerDevice(organisation, { deviceId, deviceGroupId, name: device.name }, at));
        if (!device.stream) return { deviceId, name: device.name };
        const streamId = newId('stream', organisation);
        // The Kinesis video stream that the platform sends video to has the id as its name.
        write('stream', streamId, registerStream(organisation, { streamId, deviceId, videoStream: streamId }, at));
        return { deviceId, name: device.name, streamId };
      }),
    };
  });
  await allSettled(writes);
  return groups;
}
