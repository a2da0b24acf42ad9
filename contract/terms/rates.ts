// How often a client may call an endpoint in a minute (spec section 8). They are apart from the rows of the endpoints
// for the function that answers with all of them, which would otherwise build the schemas of all rows at each start.

export const JOBS_CREATED_PER_MINUTE = 60;
export const JOBS_DISPATCHED_PER_MINUTE = 60;
export const JOBS_CHECKED_PER_MINUTE = 60;
export const MISSIONS_WRITTEN_PER_MINUTE = 60;
export const SHARES_CREATED_PER_MINUTE = 30;
export const SHARED_RESOURCES_PER_MINUTE = 120;
export const EVENTS_PER_MINUTE = 120;
export const COMMANDS_PER_MINUTE = 1200;

/**
 * Maximum of viewers' commands per minute for a share, and for all shares of a device: one share alone can't use up the
 * device's limit. What keeps a drone from harm counts for its viewer, and of a share ten times as much. The first of a
 * viewer count apart from the others, so that these can't keep them from the drone; as many of them, so that whoever
 * opens one socket after another can't flood the device.
 */
export const CONTROLS_PER_MINUTE = {
  share: 30,
  device: 60,
  stopsOfViewer: 30,
  stopsOfShare: 300,
  firstStopsOfViewer: 3,
  firstStopsOfShare: 300,
} as const;

/**
 * How many stops of a share's viewers that the device refuses in a minute don't count. It has an end, since each of
 * them is read for.
 */
export const UNCOUNTED_REFUSALS_PER_MINUTE = 300;

/** How often the viewers of a share may take the control of its device in a minute: ten that renew it every ten seconds. */
export const CONTROL_TAKEN_PER_MINUTE = 60;

/** How many commands a device takes in a minute, of all clients and viewers together. */
export const COMMANDS_OF_DEVICE_PER_MINUTE = 600;

/**
 * Maximum of handshakes per client and minute, successful or not. The specification has no such limit; without it, a client
 * that opens and closes sockets in a loop would use up API Gateway's quota for all partners together (500 new connections
 * per second).
 */
export const HANDSHAKES_PER_MINUTE = 120;
