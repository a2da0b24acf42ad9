/**
 * The bounds of a time that a device or the drone platform reports. Clocks differ, so it may be a minute ahead of this
 * service's, and a minute before what it is about. A time that is farther ahead would make all that is true look late
 * (docs/platform.md).
 */
import { invalid } from './refusal';

/** How much clocks may differ, in ms. */
export const CLOCKS_DIFFER_MS = 60_000;

/** What is wrong with a time that is too far ahead. */
export const AHEAD = 'is more than 60 seconds in the future';

/** Whether a time is too far ahead. @param time ISO 8601 @param now when it was received */
export const isAhead = (time: string, now: Date): boolean => Date.parse(time) - now.getTime() > CLOCKS_DIFFER_MS;

/** @param path where the time is in what was reported @throws Refusal `invalid_request` for a time that is too far ahead */
export function expectNotAhead(path: string, time: string, now: Date): void {
  if (isAhead(time, now)) throw invalid(path, AHEAD);
}

/** The latest time at which what a report is about may have begun. @param time of the report, ISO 8601 in UTC */
export const latestBegin = (time: string): string => new Date(Date.parse(time) + CLOCKS_DIFFER_MS).toISOString();

/** The earliest time by another clock that may not be before a time. @param time ISO 8601 @returns ISO 8601 in UTC */
export const earliestSame = (time: string): string => new Date(Date.parse(time) - CLOCKS_DIFFER_MS).toISOString();

/** Whether a time by one clock may be as late as a time by another one. @param time ISO 8601, like `other` */
export const mayBeAsLate = (time: string, other: string): boolean =>
  Date.parse(time) + CLOCKS_DIFFER_MS >= Date.parse(other);
