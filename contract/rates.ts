// How often a client may call an endpoint in a minute (spec section 8). They are apart from the rows of the endpoints for the function
// that answers with all of them, which would otherwise build the schemas of all rows at each start.

export const JOBS_CREATED_PER_MINUTE = 60;
export const JOBS_DISPATCHED_PER_MINUTE = 60;
export const JOBS_CHECKED_PER_MINUTE = 60;
export const MISSIONS_WRITTEN_PER_MINUTE = 60;
export const SHARES_CREATED_PER_MINUTE = 30;
export const SHARED_RESOURCES_PER_MINUTE = 120;
export const EVENTS_PER_MINUTE = 120;
