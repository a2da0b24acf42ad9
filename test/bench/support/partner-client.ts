import { DroneMissionClient, type NewJob, type NewShare } from 'drone-mission-client';
import { endpointTable, splitEndpointKey } from '../../../contract/endpoint-table';
import type { EndpointKey } from '../../../contract/endpoints';
import type { StackFacts } from '../../../bin/start/stack-facts';
import { requestsAbout, type Request, type Subjects } from './requests';

/** The first demo partner of a running stack, with a token. */
export interface PartnerClient {
  readonly subjects: Subjects;
  /**
   * Calls an endpoint.
   * @returns the body of the answer
   * @throws Error unless it answers with its success status
   */
  readonly call: (key: EndpointKey, request: Request) => Promise<unknown>;
  /** GET of a path outside the endpoint table. @throws Error unless it succeeds */
  readonly get: (path: string) => Promise<void>;
}

/** Gets a token and creates a job and two shares. */
export async function connectPartner({ baseUrl, partners: [partner] }: StackFacts): Promise<PartnerClient> {
  if (!partner) throw new Error('the stack has no demo partner');
  const { clientId, clientSecret, apiKey, deviceGroups } = partner;
  // What is measured is sent as it is: the client would add idempotency keys, and count as time of the service.
  const api = new DroneMissionClient({ baseUrl, clientId, clientSecret, apiKey, maxRetries: 0 });
  const authorization = `Bearer ${await api.accessToken()}`;

  const send = async (method: string, path: string, { headers, body }: Omit<Request, 'path'>): Promise<Response> =>
    fetch(baseUrl + path, {
      method,
      headers: { authorization, 'x-api-key': apiKey, 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const call = async (key: EndpointKey, request: Request): Promise<unknown> => {
    const { method, path } = splitEndpointKey(key);
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => request.path[name] ?? 'none');
    const response = await send(method, filled, request);
    if (response.status === endpointTable[key].reply.status) return response.json();
    throw new Error(`${key} answered ${response.status}: ${await response.text()}`);
  };

  const [group] = deviceGroups;
  const fleet = { deviceGroupId: group?.deviceGroupId ?? '', deviceId: group?.devices[0]?.deviceId ?? '' };
  const nothingYet = { jobId: '', shareCode: '', otherShareCode: '', ...fleet, clientId, clientSecret };
  const first = requestsAbout(nothingYet);
  const { jobId } = await api.jobs.create(first['POST /v3/jobs/create'].body as NewJob);
  const share = () => api.shares.create(first['POST /v3/streams/share'].body as NewShare);
  const [{ shareCode }, { shareCode: otherShareCode }] = [await share(), await share()];
  return {
    subjects: { ...nothingYet, jobId, shareCode, otherShareCode },
    call,
    get: async (path) => {
      const response = await send('GET', path, {});
      await response.arrayBuffer();
      if (!response.ok) throw new Error(`GET ${path} answered ${response.status}`);
    },
  };
}
