import type { Endpoint } from './endpoint';
import { eventsEndpoints } from './endpoints/events';
import { fleetEndpoints } from './endpoints/fleet';
import { jobsEndpoints } from './endpoints/jobs';
import { limitsEndpoints } from './endpoints/limits';
import { sharesEndpoints } from './endpoints/shares';
import { tokenEndpoints } from './endpoints/token';

/**
 * Every HTTP endpoint (spec section 4). API Gateway's methods, IAM grants, environment variables, the authorizer's policy,
 * rate limits and the 405s with `Allow` derive from this table. It is split by subject, so that a function loads only the
 * schemas of its own part.
 */
export const endpoints = {
  ...tokenEndpoints,
  ...jobsEndpoints,
  ...sharesEndpoints,
  ...fleetEndpoints,
  ...eventsEndpoints,
  ...limitsEndpoints,
} as const satisfies Record<string, Endpoint>;

export type EndpointKey = keyof typeof endpoints;
