import * as z from 'zod/mini';
import { commandReason } from '../../domain/commands/command-lifecycle';
import { location } from '../../domain/values/destination';

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
