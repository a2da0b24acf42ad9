/** How long a dispatched job may stay untaken: the platform has to queue it within so many seconds from its request. */
export const TAKEN_WITHIN_S = 60;
