import { listOrganisations, findOrganisation } from '../../data/access/organisations';
import { setOrganisationStatus, type OrganisationStatus, isActive } from '../../data/access/organisation-status';
import { organisationId, type Organisation } from '../../domain/values/id';
import type { Partner } from '../../domain/access/partner';
import { Failure, reasonOf } from '../command-line/errors';
import { listDeviceGroups } from '../../data/fleet/devices';
import { listStreams } from '../../data/fleet/fleet-registry';
import { publishPlatformEvent } from '../../data/platform/publish-to-platform';
import type { Session } from '../deployment/session';

/** Two concurrent operators need two tries, at most three; more is a defect. */
const MAX_TRIES = 5;

export interface SyncedOrganisation {
  readonly status: OrganisationStatus;
  /** All its clients, suspended ones too. */
  readonly members: readonly Partner[];
}

/**
 * Sets an organisation's status from its clients': active while one of them is. Called after each change of a client.
 * Reads again after each write until both agree, so that the last of concurrent commands leaves the right status.
 * @throws Failure when they still differ after the last try
 */
export async function syncOrganisationStatus(organisation: Organisation): Promise<SyncedOrganisation> {
  for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
    const { organisations, partners } = await listOrganisations();
    const members = partners.filter((partner) => partner.organisation === organisation);
    const status = members.some((member) => member.status === 'active') ? 'active' : 'suspended';
    const known = organisations.find((registered) => registered.organisation === organisation);
    if (!known || (known.status ?? 'active') === status) return { status, members };
    await setOrganisationStatus(organisation, status);
  }
  throw new Failure(`${organisationId(organisation)} is being changed by another command: try again`);
}

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
