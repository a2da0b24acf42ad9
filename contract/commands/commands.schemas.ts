import * as z from 'zod/mini';
import { commandRecord } from '../../domain/commands/command-record';
import { controlLease } from '../../domain/commands/control-lease';
import { nextToken, success } from '../terms/page.schemas';

export const commandReply = z.object({ success, command: commandRecord });

export const commandsReply = z.object({ success, commands: z.array(commandRecord), count: z.int(), nextToken });

export const jobCommandsReply = z.object({ success, commands: z.array(commandRecord), count: z.int() });

/** Without a holder only the device. */
export const deviceControl = z.extend(
  z.partial(z.pick(controlLease, { origin: true, heldBy: true, shareId: true, until: true })),
  { deviceId: z.string() },
);

export const controlReply = z.object({ success, control: deviceControl });
