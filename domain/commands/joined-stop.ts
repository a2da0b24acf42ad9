/** Several who stop a drone at the same moment stop it once: the stop that is under way is the answer to all of them. */
import { isEnded } from './command-lifecycle';
import type { CommandRecord } from './command-record';
import { isStop } from './stops';

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
