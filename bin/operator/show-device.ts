import { readDevice } from '../../data/fleet/devices';
import { listStreams } from '../../data/fleet/fleet-registry';
import { readStoredShares } from '../../data/shares/stored-shares';
import type { Device } from '../../domain/fleet/device';
import { organisationId } from '../../domain/values/id';
import { Failure } from '../command-line/errors';
import type { Report } from '../program/run-program';
import type { Session } from '../deployment/session';
import { type Flags, readId } from './command-line';
import { counted, description } from './description';
import { readFollowers } from './followers';
import { factsOf } from './shares';

/** Shows a device: what it reported last, its group, job and stream, its shares, and who follows it. */
export async function showDevice(flags: Flags, session: Session): Promise<Report> {
  const { id: deviceId, organisation } = readId(flags, 'device');
  await session.connect();
  session.progress('reading the device');
  const device = await readDevice(organisation, deviceId, true);
  if (!device) throw new Failure('there is no device of that id');
  const [streams, stored, followers] = await Promise.all([
    listStreams(organisation),
    readStoredShares(organisation, new Date().toISOString()),
    readFollowers(organisation, { kind: 'group', id: device.deviceGroupId }, deviceId, device.deviceGroupId),
  ]);
  const shares = stored.filter(({ share }) => share.deviceId === deviceId).map(factsOf);
  const facts = {
    deviceId,
    organisationId: organisationId(organisation),
    name: device.name,
    status: device.status,
    version: device.version,
    deviceGroupId: device.deviceGroupId,
    reportedAt: device.reportedAt,
    secondsBehind: secondsBehind(device),
    jobId: device.lastState?.jobId,
    streamId: streams.find((stream) => stream.deviceId === deviceId)?.streamId,
  };
  return {
    json: { ...facts, lastState: device.lastState, followers, shares },
    text: description(
      [
        ...Object.entries(facts),
        ['last state', device.lastState && JSON.stringify(device.lastState)],
        ['sockets', counted(followers.sockets)],
        ['MQTT', counted(followers.mqttSubscriptions)],
      ],
      [
        'Shares, by digest',
        shares.map(({ shareId, expiresAt, currentViewers }) => [
          shareId,
          `until ${expiresAt}`,
          `${currentViewers} viewers`,
        ]),
      ],
    ),
  };
}

/** Seconds from when the last state was measured, by the clock of the device, to when it was received. */
const secondsBehind = ({ lastState, reportedAt }: Device): number | undefined =>
  lastState && reportedAt !== undefined
    ? Math.round((Date.parse(reportedAt) - Date.parse(lastState.timestamp)) / 100) / 10
    : undefined;
