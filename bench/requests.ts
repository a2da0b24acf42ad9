import { endpointTable } from '../contract/access';
import type { EndpointKey } from '../contract/endpoints';

/** The resources of the requests: a PENDING job, two shares, and the client. */
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

const keys = Object.keys(endpointTable) as EndpointKey[];

/**
 * A successful request to each endpoint, in an order in which all of them succeed. A GET needs no row: its path parameters are
 * identifiers of the subjects.
 */
export function requestsAbout(subjects: Subjects): Readonly<Record<EndpointKey, Request>> {
  const { jobId, shareCode, otherShareCode, deviceGroupId, deviceId, clientId, clientSecret } = subjects;
  const job = { path: { jobId } };
  const share = { path: { shareCode } };
  const reads = keys.filter((key) => key.startsWith('GET ')).map((key) => [key, { path: { jobId, shareCode } }]);
  return {
    'POST /v3/auth/token': {
      body: { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret },
    },
    'POST /v3/jobs/create': { body: { name: 'Rim inspection', deviceGroupId, deviceId, metadata: { site: 'north' } } },
    ...(Object.fromEntries(reads) as Record<Extract<EndpointKey, `GET ${string}`>, Request>),
    'PATCH /v3/jobs/{jobId}': { ...job, body: { name: 'Rim inspection, again', priority: 7 } },
    'POST /v3/jobs/{jobId}/cancel': job,
    'DELETE /v3/jobs/{jobId}': job,
    'POST /v3/streams/share': { body: { resourceId: deviceId, shareType: 'DEVICE_STATUS' } },
    'DELETE /v3/shares/{shareCode}': share,
    'DELETE /v3/streams/share/{shareCode}': { path: { shareCode: otherShareCode } },
  };
}
