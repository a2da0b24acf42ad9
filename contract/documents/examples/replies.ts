import type { EndpointKey } from '../../endpoints';

/** Fields in which the reply of an endpoint differs from the examples of the fields, by the object that they are in. */
export const replyFields: Partial<Record<EndpointKey, Readonly<Record<string, object>>>> = {
  // A new job has version 1.
  'PATCH /v3/jobs/{jobId}': { job: { version: 2 } },
};
