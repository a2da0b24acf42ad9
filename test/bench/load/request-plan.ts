import { splitEndpointKey } from '../../../contract/endpoint-table';
import type { EndpointKey } from '../../../contract/endpoints';
import type { ChannelClient } from '../support/many-clients';

/** The mix of ten requests: mostly reads of a job, as integrators do. */
export const requestMix: readonly EndpointKey[] = [
  'POST /v3/jobs/create',
  'GET /v3/jobs/{jobId}',
  'GET /v3/jobs',
  'GET /v3/jobs/{jobId}',
  'PATCH /v3/jobs/{jobId}',
  'GET /v3/jobs/{jobId}',
  'GET /v3/resources',
  'GET /v3/jobs',
  'GET /v3/jobs/{jobId}',
  'GET /v3/shares',
];

/**
 * Job creations of a client in a minute that the load makes: below the limit of 60, since windows begin with the
 * clock's minute.
 */
const CREATIONS_A_MINUTE = 50;

/** Clients that the limit of job creations takes. @param rate requests a second */
export const clientsFor = (rate: number): number => Math.ceil((rate * 60) / requestMix.length / CREATIONS_A_MINUTE);

/** A request of one client. */
export interface PlannedRequest {
  readonly endpoint: string;
  readonly method: string;
  readonly url: string;
  /** JSON; null without a body. */
  readonly body: string | null;
}

/** What the program of k6 reads. Contains tokens. */
export interface RequestPlan {
  /** Requests a second. */
  readonly rate: number;
  /** Before that, at the same rate, without being counted. */
  readonly warmUpSeconds: number;
  readonly seconds: number;
  /** Each sends its requests in turn. */
  readonly clients: readonly { readonly token: string; readonly requests: readonly PlannedRequest[] }[];
}

/** What the program of k6 prints; latencies in ms by k6's names of percentiles. */
export interface RequestReport {
  readonly requests: number;
  /** Requests that were not sent, since all connections waited for answers. */
  readonly dropped: number;
  /** Until the last answer, without the warm-up. */
  readonly seconds: number;
  readonly latencies: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly errors: Readonly<Record<string, number>>;
}

/** The mix for a client, about a job of its own. */
export const requestsOf = (baseUrl: string, client: ChannelClient, jobId: string): PlannedRequest[] =>
  requestMix.map((endpoint) => {
    const { method, path } = splitEndpointKey(endpoint);
    const body = bodyOf(endpoint, client);
    return { endpoint, method, url: baseUrl + path.replace('{jobId}', jobId), body: body && JSON.stringify(body) };
  });

function bodyOf(endpoint: EndpointKey, { deviceGroupId }: ChannelClient): object | null {
  if (endpoint === 'POST /v3/jobs/create') return { name: 'Survey', deviceGroupId };
  return endpoint === 'PATCH /v3/jobs/{jobId}' ? { name: 'Survey of the north' } : null;
}
