import { shareBounds } from '../../../domain/share';
import type { EndpointKey } from '../../endpoints';
import { tokenThrottle } from '../../limits';
import { exampleValue } from '../fields';

/** Fields in which the reply of an endpoint differs from the examples of the fields, by the object that they are in. */
export const replyFields: Partial<Record<EndpointKey, Readonly<Record<string, object>>>> = {
  // A new job has version 1.
  'PATCH /v3/jobs/{jobId}': { job: { version: 2 } },
  'GET /v3/limits': {
    limits: {
      rates: [
        ...[
          {
            operation: 'POST /v3/jobs/create',
            limit: 60,
            windowSeconds: 60,
            remaining: 57,
            resetAt: exampleValue('resetAt'),
          },
        ],
        tokenThrottle,
      ],
      subscriptions: { limit: 100, used: 8, remaining: 92 },
      shares: shareBounds,
    },
  },
};
