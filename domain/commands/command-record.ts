import * as z from 'zod/mini';
import { commandOrigins, type Command } from './command';
import { defaultTimeoutSeconds, START_WITHIN_MS } from './command-timeout';
import { commandReason, commandStatuses, reportedCommandStatus } from './command-lifecycle';
import { storedMetadata } from '../values/metadata';
import { text } from '../values/text';

const commandStatus = z.enum(commandStatuses);

/** What the platform said of a command that had ended. */
export const lateOutcome = z.object({
  outcome: reportedCommandStatus,
  reason: z.optional(commandReason),
  at: z.string(),
});

/** A command as it is stored. `version` is incremented with every change. Times are ISO 8601. */
export const commandRecord = z.object({
  commandId: z.string(),
  deviceId: z.string(),
  deviceGroupId: z.string(),
  /** The job that the device flew, or that the request named. */
  jobId: z.optional(z.string()),
  name: text(1, 64),
  parameters: z.optional(storedMetadata),
  /** Its number among the commands of its device. */
  sequence: z.int(),
  status: commandStatus,
  reason: z.optional(commandReason),
  /** The command that took its place. */
  supersededBy: z.optional(z.string()),
  lateOutcome: z.optional(lateOutcome),
  origin: z.enum(commandOrigins),
  /** The client that sent it, or a pseudonym of the viewer. */
  requestedBy: z.optional(z.string()),
  /** Of a viewer's command: a digest of the share code. */
  shareId: z.optional(z.string()),
  requestedAt: z.string(),
  startBefore: z.string(),
  /** Without an outcome by then it has timed out. */
  endBefore: z.string(),
  deliveredAt: z.optional(z.string()),
  endedAt: z.optional(z.string()),
  version: z.int(),
});
export type CommandRecord = z.output<typeof commandRecord>;

/** Who asks for a command, and how. */
export interface Requester {
  readonly origin: CommandRecord['origin'];
  readonly requestedBy?: string | undefined;
  readonly shareId?: string | undefined;
}

/** What is known of the device and its flight when a command is accepted. */
export interface Commanded {
  readonly commandId: string;
  readonly deviceId: string;
  readonly deviceGroupId: string;
  readonly jobId: string | undefined;
  readonly sequence: number;
}

const after = (now: string, ms: number) => new Date(Date.parse(now) + ms).toISOString();

/** The command that a request makes: REQUESTED, version 1. @param now ISO 8601 */
export function newCommand(
  { name, ...parameters }: Command,
  timeoutSeconds: number = defaultTimeoutSeconds(name),
  commanded: Commanded,
  requester: Requester,
  now: string,
): CommandRecord {
  return {
    ...commanded,
    name,
    ...(Object.keys(parameters).length > 0 && { parameters }),
    status: 'REQUESTED',
    ...requester,
    requestedAt: now,
    startBefore: after(now, Math.min(START_WITHIN_MS, timeoutSeconds * 1000)),
    endBefore: after(now, timeoutSeconds * 1000),
    version: 1,
  };
}

/** A command as the platform gets it: its name and parameters. */
export const toPlatformCommand = ({ name, parameters = {} }: CommandRecord): Command => ({ ...parameters, name });
