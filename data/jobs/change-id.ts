/**
 * Before the id of an event of the platform, in the id of the change that it caused; other changes have the id of their
 * request.
 */
const OF_PLATFORM = 'platform-';

/** Identifies the change that an event of the platform causes. */
export const eventToChangeId = (eventId: string): string => OF_PLATFORM + eventId;

/** The event of the platform that caused a change; undefined for one that a request caused. */
export const changeIdToEvent = (changeId: string): string | undefined =>
  changeId.startsWith(OF_PLATFORM) ? changeId.slice(OF_PLATFORM.length) : undefined;
