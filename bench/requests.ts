import type { EndpointKey } from '../contract/endpoints';

/** What the requests are about: a job that is PENDING, two shares, and who asks. */
export interface Subjects {
  readonly jobId: string;
  readonly shareCode: string;
  readonly otherShareCode: string;
  readonly deviceGroupId: string;
  readonly deviceId: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

export interface Request {
  readonly path?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** A request to each endpoint that succeeds, in an order in which one after the other does. */
export function requestsAbout(subjects: Subjects): Readonly<Record<EndpointKey, Request>> {
  const { jobId, shareCode, otherShareCode, deviceGroupId, deviceId, clientId, clientSecret } = subjects;
  const job = { path: { jobId } };
  const share = { path: { shareCode } };
  return {
    'POST /v3/auth/token': {
      body: { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret },
    },
    'POST /v3/jobs/create': { body: { name: 'Rim inspection', deviceGroupId, deviceId, metadata: { site: 'north' } } },
    'GET /v3/jobs': {},
    'GET /v3/jobs/{jobId}': job,
    'PATCH /v3/jobs/{jobId}': { ...job, body: { name: 'Rim inspection, again', priority: 7 } },
    'POST /v3/jobs/{jobId}/cancel': job,
    'DELETE /v3/jobs/{jobId}': job,
    'POST /v3/streams/share': { body: { resourceId: deviceId, shareType: 'DEVICE_STATUS' } },
    'GET /v3/streams/share': {},
    'GET /v3/streams/share/{shareCode}': share,
    'GET /v3/shares': {},
    'GET /v3/shares/{shareCode}': share,
    'GET /v3/shares/{shareCode}/resources': share,
    'GET /v3/resources': {},
    'DELETE /v3/shares/{shareCode}': share,
    'DELETE /v3/streams/share/{shareCode}': { path: { shareCode: otherShareCode } },
  };
}
