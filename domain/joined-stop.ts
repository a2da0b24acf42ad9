/** Several who stop a drone at the same moment stop it once: the stop that is under way is the answer to all of them. */
import { isSafe } from './command';
import { isEnded } from './command-lifecycle';
import type { CommandRecord } from './command-record';

/** For how long a stop that is asked for again is the one that is under way, in ms. */
export const JOINED_FOR_MS = 2000;

/** Whether two times are so close that one stop may be the other. @param one ISO 8601 */
export const isJoinedIn = (one: string, other: string): boolean =>
  Math.abs(Date.parse(one) - Date.parse(other)) < JOINED_FOR_MS;

const lastsFor = ({ requestedAt, endBefore }: CommandRecord) => Date.parse(endBefore) - Date.parse(requestedAt);

/**
 * Whether a stop that is asked for is the newest command of its device: the same in every respect, and without an outcome. Who is told of the one must be
 * told of the other: the clients of the organisation, or the viewers of one share.
 */
export const isJoined = (wanted: CommandRecord, newest: CommandRecord): boolean =>
  isSafe(wanted.name) &&
  wanted.name === newest.name &&
  !isEnded(newest.status) &&
  wanted.origin === newest.origin &&
  wanted.shareId === newest.shareId &&
  wanted.jobId === newest.jobId &&
  lastsFor(wanted) === lastsFor(newest) &&
  isJoinedIn(wanted.requestedAt, newest.requestedAt);
