import { HANDSHAKE } from './channels/status-channels';
import { HANDSHAKES_PER_MINUTE } from './terms/rates';
import type { EndpointKey } from './endpoints';
import * as rates from './terms/rates';

/** Those of the endpoints' rows. */
export const countedEndpoints = [
  { operation: 'POST /v3/jobs/create', limit: rates.JOBS_CREATED_PER_MINUTE },
  { operation: 'POST /v3/jobs/dispatch', limit: rates.JOBS_DISPATCHED_PER_MINUTE },
  { operation: 'POST /v3/jobs/check', limit: rates.JOBS_CHECKED_PER_MINUTE },
  { operation: 'POST /v3/devices/{deviceId}/commands', limit: rates.COMMANDS_PER_MINUTE },
  { operation: 'POST /v3/missions', limit: rates.MISSIONS_WRITTEN_PER_MINUTE },
  { operation: 'PUT /v3/missions/{missionId}', limit: rates.MISSIONS_WRITTEN_PER_MINUTE },
  { operation: 'POST /v3/streams/share', limit: rates.SHARES_CREATED_PER_MINUTE },
  { operation: 'GET /v3/shares/{shareCode}/resources', limit: rates.SHARED_RESOURCES_PER_MINUTE },
  { operation: 'GET /v3/events', limit: rates.EVENTS_PER_MINUTE },
] as const satisfies readonly { readonly operation: EndpointKey; readonly limit: number }[];

/** How often a client may call what in a minute, counted exactly by the service (spec section 8). */
export const countedRates: readonly { readonly operation: string; readonly limit: number }[] = [
  ...countedEndpoints,
  { operation: HANDSHAKE, limit: HANDSHAKES_PER_MINUTE },
];

/** How operators name what they give a client another limit for: `--jobs-per-minute`. */
export const limitNames = {
  'POST /v3/jobs/create': 'jobs',
  'POST /v3/jobs/dispatch': 'dispatches',
  'POST /v3/jobs/check': 'checks',
  'POST /v3/devices/{deviceId}/commands': 'commands',
  'POST /v3/missions': 'missions',
  'PUT /v3/missions/{missionId}': 'mission-versions',
  'POST /v3/streams/share': 'shares',
  'GET /v3/shares/{shareCode}/resources': 'shared-resources',
  'GET /v3/events': 'events',
  [HANDSHAKE]: 'handshakes',
} as const satisfies Readonly<Record<(typeof countedEndpoints)[number]['operation'] | typeof HANDSHAKE, string>>;

/** A client's own limit is at most 100 calls a second: the counter is one item, whose partition takes 1,000 writes a second. */
export const MOST_PER_MINUTE = 6000;

/** How often an API key may request tokens: the throttle of API Gateway's usage plan, which is best effort (spec section 8). */
export const tokenThrottle = { operation: 'POST /v3/auth/token', limit: 50, windowSeconds: 1, burst: 100 } as const;
