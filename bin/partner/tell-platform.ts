import { listDeviceGroups } from '../../data/fleet/devices';
import { listStreams } from '../../data/fleet/fleet-registry';
import { isActive } from '../../data/access/organisation-status';
import { findOrganisation } from '../../data/access/organisations';
import { publishPlatformEvent } from '../../data/platform/publish-to-platform';
import { organisationId, type Organisation } from '../../domain/values/id';
import { reasonOf } from '../command-line/reason';
import type { Session } from '../deployment/session';

/**
 * Tells the drone platform of an organisation as it is now, and of device groups that it has got. A failure is a
 * warning: the command has done what it says.
 * @param addedGroups identifiers of the groups
 */
export async function tellPlatform(
  organisation: Organisation,
  session: Pick<Session, 'warn'>,
  addedGroups: readonly string[] = [],
): Promise<void> {
  try {
    await tell(organisation, addedGroups);
  } catch (error) {
    session.warn(`warning: the drone platform was not told of ${organisationId(organisation)}: ${reasonOf(error)}`);
  }
}

async function tell(organisation: Organisation, addedGroups: readonly string[]): Promise<void> {
  const registered = await findOrganisation(organisation);
  if (!registered) return;
  const at = new Date().toISOString();
  const common = (id: string) => ({ eventId: `${id}/${at}`, organisationId: organisationId(organisation), at });
  const status = (await isActive(organisation)) ? 'active' : 'suspended';
  await publishPlatformEvent('organisation.changed', {
    ...common(organisationId(organisation)),
    name: registered.name,
    status,
  });
  if (addedGroups.length === 0) return;
  const [groups, streams] = await Promise.all([listDeviceGroups(organisation), listStreams(organisation)]);
  const streamOf = new Map(streams.map(({ deviceId, streamId }) => [deviceId, streamId]));
  for (const { deviceGroupId, name, description, devices } of groups)
    if (addedGroups.includes(deviceGroupId))
      await publishPlatformEvent('device-group.onboarded', {
        ...common(deviceGroupId),
        deviceGroupId,
        name,
        description,
        devices: devices.map((device) => {
          const stream = streamOf.get(device.deviceId);
          return { deviceId: device.deviceId, name: device.name, ...(stream !== undefined && { stream }) };
        }),
      });
}
