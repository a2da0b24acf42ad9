/**
 * Keys of the fleet table. A partition takes 1,000 write units a second (DynamoDB developer guide, "Best practices for designing
 * and using partition keys effectively"), and each device writes its state every second: so the devices of an organisation are
 * spread over partitions. Its groups and video streams, which seldom change, are in one of their own.
 */
import { createHash } from 'node:crypto';
import type { Organisation } from '../../domain/values/id';

/** More would be more queries for each list of the organisation's devices. Can't change once there are devices. */
const DEVICE_PARTITIONS = 8;

/** The partition of an organisation's groups and video streams. */
export const registryPartition = (organisation: Organisation): string => organisation;

const devicePartition = (organisation: Organisation, number: number) => `${organisation}#${number}`;

/** All partitions of an organisation's devices. */
export const devicePartitions = (organisation: Organisation): string[] =>
  Array.from({ length: DEVICE_PARTITIONS }, (_, number) => devicePartition(organisation, number));

/** Key of a device, a group or a video stream of the organisation. */
export function fleetKey(organisation: Organisation, id: string) {
  const number = createHash('sha256').update(id).digest().readUInt32BE() % DEVICE_PARTITIONS;
  const fleetPartition = id.startsWith('device-')
    ? devicePartition(organisation, number)
    : registryPartition(organisation);
  return { fleetPartition, id };
}
