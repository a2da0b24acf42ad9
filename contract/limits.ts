import { endpointTable } from './access';
import { HANDSHAKE, HANDSHAKES_PER_MINUTE } from './channels';

/** How often a client may call what in a minute, counted exactly by the service (spec section 8). */
export const countedRates: readonly { readonly operation: string; readonly limit: number }[] = [
  ...Object.entries(endpointTable).flatMap(([operation, { perMinute }]) =>
    perMinute === undefined ? [] : [{ operation, limit: perMinute }],
  ),
  { operation: HANDSHAKE, limit: HANDSHAKES_PER_MINUTE },
];

/** How often an API key may request tokens: the throttle of API Gateway's usage plan, which is best effort (spec section 8). */
export const tokenThrottle = { operation: 'POST /v3/auth/token', limit: 50, windowSeconds: 1, burst: 100 } as const;
