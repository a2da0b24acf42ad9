import { endpointTable, routeOf } from '../contract/access';
import type { EndpointKey } from '../contract/endpoints';
import type { StackFacts } from '../local/stack-file';
import { requestsAbout, type Request, type Subjects } from './requests';

/** The first demo partner of a running stack, with a token of its own. */
export interface PartnerClient {
  readonly subjects: Subjects;
  /**
   * Calls an endpoint.
   * @returns the body of the answer
   * @throws Error unless it is answered with the status that is promised
   */
  readonly call: (key: EndpointKey, request: Request) => Promise<unknown>;
  /** GET of any path below the base address, for what is in no table. @throws Error unless it succeeds */
  readonly get: (path: string) => Promise<void>;
}

/** Gets a token and makes a job and two shares. */
export async function connectPartner({ baseUrl, partners: [partner] }: StackFacts): Promise<PartnerClient> {
  if (!partner) throw new Error('the stack has no demo partner');
  const { clientId, clientSecret, apiKey, deviceGroups } = partner;
  let authorization = '';

  const send = async (method: string, path: string, { headers, body }: Request): Promise<Response> =>
    fetch(baseUrl + path, {
      method,
      headers: { authorization, 'x-api-key': apiKey, 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const call = async (key: EndpointKey, request: Request): Promise<unknown> => {
    const { method, path } = routeOf(key);
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => request.path?.[name] ?? 'none');
    const response = await send(method, filled, request);
    if (response.status === endpointTable[key].reply.status) return response.json();
    throw new Error(`${key} answered ${response.status}: ${await response.text()}`);
  };

  const [group] = deviceGroups;
  const fleet = { deviceGroupId: group?.deviceGroupId ?? '', deviceId: group?.devices[0]?.deviceId ?? '' };
  const nothingYet = { jobId: '', shareCode: '', otherShareCode: '', ...fleet, clientId, clientSecret };
  const first = requestsAbout(nothingYet);
  const make = (key: EndpointKey) => call(key, first[key]);
  const { access_token } = (await make('POST /v3/auth/token')) as { access_token: string };
  authorization = `Bearer ${access_token}`;
  const { job } = (await make('POST /v3/jobs/create')) as { job: { jobId: string } };
  const shares = [await make('POST /v3/streams/share'), await make('POST /v3/streams/share')];
  const [shareCode = '', otherShareCode = ''] = shares.map(
    (answer) => (answer as { share: { shareCode: string } }).share.shareCode,
  );
  return {
    subjects: { ...nothingYet, jobId: job.jobId, shareCode, otherShareCode },
    call,
    get: async (path) => {
      const response = await send('GET', path, {});
      await response.arrayBuffer();
      if (!response.ok) throw new Error(`GET ${path} answered ${response.status}`);
    },
  };
}
