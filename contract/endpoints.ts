import type { Endpoint } from './endpoint';
import { fleetEndpoints } from './endpoints/fleet';
import { jobsEndpoints } from './endpoints/jobs';
import { sharesEndpoints } from './endpoints/shares';
import { tokenEndpoints } from './endpoints/token';

/**
 * Every HTTP endpoint, declared once (spec section 4). API Gateway's methods, IAM grants, environment,
 * the authorizer's policy, rate limits and the 405s with `Allow` derive from this table. It is in parts,
 * so that a function loads the schemas of its own part and no others.
 */
export const endpoints = {
  ...tokenEndpoints,
  ...jobsEndpoints,
  ...sharesEndpoints,
  ...fleetEndpoints,
} as const satisfies Record<string, Endpoint>;

export type EndpointKey = keyof typeof endpoints;
