import * as z from 'zod/mini';
import { commandPosition as position } from '../../domain/commands/command';
import { commandRecord, lateOutcome as late } from '../../domain/commands/command-record';
import { controlLease } from '../../domain/commands/control-lease';
import { nextToken, success } from '../terms/page.schemas';

export const commandPosition = position;

export const lateOutcome = late;

export const command = commandRecord;

export const commandReply = z.object({ success, command });

export const commandsReply = z.object({ success, commands: z.array(command), count: z.int(), nextToken });

export const jobCommandsReply = z.object({ success, commands: z.array(command), count: z.int() });

/** Without a holder only the device. */
export const deviceControl = z.extend(
  z.partial(z.pick(controlLease, { origin: true, heldBy: true, shareId: true, until: true })),
  { deviceId: z.string() },
);

export const controlReply = z.object({ success, control: deviceControl });
