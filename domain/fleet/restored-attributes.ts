import type { Device, DeviceGroup, DeviceStream } from './device';

/**
 * `registered`: what the platform registers, gone with a removal, and put back by a restore
 * (`domain/shares/restoration.ts`). `reported`: what follows from a device's reports; it begins anew with every
 * registration. `continued`: what a removed item has too; a restore keeps what is there.
 */
type FleetAttributeKind = 'registered' | 'reported' | 'continued';

type FleetField = keyof Device | keyof DeviceGroup | keyof DeviceStream;

const fields = {
  name: 'registered',
  description: 'registered',
  deviceGroupId: 'registered',
  deviceId: 'registered',
  streamId: 'registered',
  videoStream: 'registered',
  capabilities: 'registered',
  status: 'reported',
  lastState: 'reported',
  reportedAt: 'reported',
  savedAt: 'reported',
  takeOff: 'reported',
  standsSince: 'reported',
  transitions: 'reported',
  // Followers would drop the messages of a device that began with version 0 again.
  version: 'continued',
  // Followers of a device hear of it when it is registered again.
  socketsUntil: 'continued',
  topicUntil: 'continued',
} as const satisfies Readonly<Record<FleetField, FleetAttributeKind>>;

/** Every attribute of a stored group, device or stream: its fields, and what only the storage knows. */
export const fleetAttributes = {
  ...fields,
  state: 'reported',
  presentIn: 'reported',
  standsIn: 'reported',
  standsAt: 'reported',
  quiet: 'reported',
  fleetPartition: 'continued',
  id: 'continued',
  kind: 'continued',
  eventTime: 'continued',
  ttl: 'continued',
  followedAt: 'continued',
  membersFollowedAt: 'continued',
  restoredAt: 'continued',
} as const satisfies Readonly<Record<string, FleetAttributeKind>>;

/** The attributes of these kinds. */
export const fleetAttributesOf = (...kinds: readonly FleetAttributeKind[]): string[] =>
  Object.entries(fleetAttributes).flatMap(([name, kind]) => (kinds.includes(kind) ? [name] : []));
