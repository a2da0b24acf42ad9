import * as z from 'zod/mini';
import { commandOrigins, type Command } from './command';
import { defaultTimeoutSeconds, START_WITHIN_MS } from './command-timeout';
import { commandReason, commandStatuses, isEnded, reportedCommandStatus } from './command-lifecycle';
import { storedMetadata } from '../values/metadata';
import { text } from '../values/text';
import { isStop } from './stops';

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

/** Several who stop a drone at the same moment stop it once: the stop that is under way is the answer to all of them. */

/** For how long a stop that is asked for again is the one that is under way, in ms. */
export const JOINED_FOR_MS = 2000;

/** Whether two times are so close that one stop may be the other. @param one ISO 8601 */
const isJoinedIn = (one: string, other: string): boolean =>
  Math.abs(Date.parse(one) - Date.parse(other)) < JOINED_FOR_MS;

/** Who is told of a command: the clients of the organisation, or the viewers of one share. */
const audienceOf = ({ origin, shareId }: Pick<CommandRecord, 'origin' | 'shareId'>): string => shareId ?? origin;

/** What is known of the newest command of a device, and of the newest one for each audience as long as all were the same stop. */
export interface StopsUnderWay {
  readonly newest?: Pick<CommandRecord, 'commandId' | 'name' | 'requestedAt'> | undefined;
  /** Identifiers by audience. */
  readonly stops?: Readonly<Record<string, string>> | undefined;
}

/** The stops by audience once a command is the newest one. */
export const stopsWith = (before: StopsUnderWay, command: CommandRecord): StopsUnderWay['stops'] => {
  if (!isStop(command.name)) return undefined;
  return { ...(isSameStop(before, command) && before.stops), [audienceOf(command)]: command.commandId };
};

const isSameStop = ({ newest }: StopsUnderWay, { name, requestedAt }: CommandRecord): boolean =>
  newest !== undefined && isStop(name) && newest.name === name && isJoinedIn(newest.requestedAt, requestedAt);

/**
 * The identifier of the stop that a wanted one may be joined to, if {@link isJoined} says so too; undefined when there
 * is none.
 */
export const stopToJoin = (under: StopsUnderWay, requested: CommandRecord): string | undefined =>
  isSameStop(under, requested) ? (under.stops?.[audienceOf(requested)] ?? under.newest?.commandId) : undefined;

const lastsFor = ({ requestedAt, endBefore }: CommandRecord) => Date.parse(endBefore) - Date.parse(requestedAt);

/**
 * Whether a stop that is asked for is one that is under way: the same in every respect, and without an outcome. Who is
 * told of the one must be told of the other.
 */
export const isJoined = (requested: CommandRecord, underWay: CommandRecord): boolean =>
  isStop(requested.name) &&
  requested.name === underWay.name &&
  !isEnded(underWay.status) &&
  audienceOf(requested) === audienceOf(underWay) &&
  requested.jobId === underWay.jobId &&
  lastsFor(requested) === lastsFor(underWay) &&
  isJoinedIn(requested.requestedAt, underWay.requestedAt);
