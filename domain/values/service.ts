/** Name of this service: the `source` of its events, its resource tag, its user agent. */
export const SERVICE = 'drone-mission-api';

/** The `source` of the drone platform's events. */
export const PLATFORM = 'drone-platform';
