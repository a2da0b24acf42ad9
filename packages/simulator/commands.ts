import * as z from 'zod/mini';
import { commandReason } from '../../domain/commands/command-lifecycle';
import { outboundEvents } from '../../domain/platform/outbound-events';
import { location } from '../../domain/values/destination';
import { endItem, insertItem, updateItem } from './table';

const { requestId, deviceId, shareId, command, sequence, startBefore } = outboundEvents['control.requested'].shape;

/** A command that waits for the next tick, beside the missions: of every command the item stays, so that it is taken once. */
export const openCommand = z.object({
  state: z.literal('requested'),
  requestId,
  deviceId,
  shareId,
  command,
  sequence,
  startBefore,
  /** The deleted job whose drone the service calls home. */
  recalledFrom: z.optional(z.string()),
});
export type OpenCommand = Omit<z.output<typeof openCommand>, 'state'>;

/** That a share has ended: what of its commands has not begun then does not begin. */
export const endedShare = z.object({ state: z.literal('ended'), shareId: z.string(), ttl: z.number() });
export type EndedShare = z.output<typeof endedShare>;

/** Stores a command until the next tick. @returns false for one that has come before */
export const insertCommand = (one: OpenCommand): Promise<boolean> =>
  insertItem({ ...one, jobId: one.requestId, state: 'requested' });

/** Ends a command that was taken or answered. */
export const endCommand = ({ requestId: id }: OpenCommand, now: Date): Promise<boolean> => endItem(id, now);

/** Takes the place of a command in the order of its device, also again. @returns false when a later one was taken before */
export const takePlace = (one: OpenCommand): Promise<boolean> =>
  updateItem(
    `latest-command-of-${one.deviceId}`,
    'SET #state = :over, latest = :sequence, requestId = :requestId',
    { ':over': 'over', ':sequence': one.sequence, ':requestId': one.requestId },
    'attribute_not_exists(latest) OR latest < :sequence OR requestId = :requestId',
  );

/** How long the end of a share is kept, in s: longer than its last command may wait to begin. */
const ENDED_SHARE_S = 60;

/** Stores that a share has ended. */
export const insertEndedShare = (id: string, now: Date): Promise<boolean> =>
  insertItem({ jobId: id, state: 'ended', shareId: id, ttl: Math.ceil(now.getTime() / 1000) + ENDED_SHARE_S });

/** What of a command matters to a drone. */
export const order = z.object({
  name: z.string(),
  position: z.optional(location),
  height: z.optional(z.number()),
  speed: z.optional(z.number()),
  radius: z.optional(z.number()),
  pitch: z.optional(z.number()),
  yaw: z.optional(z.number()),
});
export type Order = z.output<typeof order>;

/** A command to a device in a mission, and what came of it. */
export const taken = z.object({
  /** Missing when the service told it without a command, since the job has ended. */
  requestId: z.optional(z.string()),
  /** When it was taken or refused, in seconds of the mission. */
  at: z.number(),
  order,
  refused: z.optional(commandReason),
});
export type Taken = z.output<typeof taken>;
