import * as z from 'zod/mini';

/** A status of a command. */
interface Stage {
  /** The statuses that may follow; none after a final one. */
  readonly next: readonly CommandStatus[];
  /** Whether the drone platform reports it. */
  readonly isReported: boolean;
}

export type CommandStatus = 'REQUESTED' | 'DELIVERED' | 'DONE' | 'REFUSED' | 'FAILED' | 'TIMED_OUT' | 'SUPERSEDED';

/**
 * The lifecycle of a command; what names several statuses elsewhere derives from it. `DELIVERED`: the device has begun;
 * `DONE`: it is achieved; `TIMED_OUT`: there was no outcome in time, and nobody knows; `SUPERSEDED`: a later command
 * took its place.
 */
export const commandLifecycle: Readonly<Record<CommandStatus, Stage>> = {
  REQUESTED: { next: ['DELIVERED', 'DONE', 'REFUSED', 'FAILED', 'TIMED_OUT', 'SUPERSEDED'], isReported: false },
  DELIVERED: { next: ['DONE', 'REFUSED', 'FAILED', 'TIMED_OUT', 'SUPERSEDED'], isReported: true },
  DONE: { next: [], isReported: true },
  REFUSED: { next: [], isReported: true },
  FAILED: { next: [], isReported: true },
  TIMED_OUT: { next: [], isReported: false },
  SUPERSEDED: { next: [], isReported: true },
};

export const commandStatuses = Object.keys(commandLifecycle) as readonly CommandStatus[];

/** Whether nothing follows a status. */
export const isEnded = (status: CommandStatus): boolean => commandLifecycle[status].next.length === 0;
// Marked as pure, so that a bundle has them only where they are used.
export const endedCommandStatuses = /* @__PURE__ */ commandStatuses.filter(isEnded);
export const openCommandStatuses = /* @__PURE__ */ commandStatuses.filter((status) => !isEnded(status));

/** The statuses from which a command gets to `to`; the condition of the DynamoDB write is generated from them. */
export const commandStatusesBefore = (to: CommandStatus): readonly CommandStatus[] =>
  commandStatuses.filter((from) => commandLifecycle[from].next.includes(to));

/** The statuses that follow the first one. */
export type LaterStatus = Exclude<CommandStatus, 'REQUESTED'>;
export const laterStatuses = commandStatuses.filter((status): status is LaterStatus => status !== 'REQUESTED');

/** The statuses that the drone platform reports, of which all but `DELIVERED` are outcomes. */
export const reportedCommandStatus = z.enum(commandStatuses.filter((status) => commandLifecycle[status].isReported));

/** Why a command was refused or has failed. */
export const commandReasons = {
  NOT_SUPPORTED: 'The device or the platform has no such command.',
  NOT_ALLOWED: 'The platform does not allow it now.',
  DEVICE_OFFLINE: 'The device can’t be reached.',
  DEVICE_BUSY: 'The device does something that it can’t leave.',
  TOO_LATE: 'It could not be begun in time.',
  OUT_OF_ORDER: 'A later command had been taken before.',
  OUT_OF_RANGE: 'The place is farther than the device flies.',
  DEVICE_FAULT: 'The device did not work.',
  SHARE_ENDED: 'The share that it came through ended before it was delivered.',
} as const;
export type CommandReason = keyof typeof commandReasons;
export const commandReason = z.enum(Object.keys(commandReasons) as CommandReason[]);
