import { endpointTable, splitEndpointKey } from '../../../contract/endpoint-table';
import { openApiDocument } from '../../../contract/documents/openapi/openapi-document';
import { findFirstPath } from '../../../contract/documents/openapi/operation-ids';
import type { EndpointKey } from '../../../contract/endpoints';

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
  readonly path: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Examples other than the one with every field: a local stack has no video. */
const chosen: Partial<Record<EndpointKey, string>> = { 'POST /v3/streams/share': 'statusOnly' };

/**
 * A successful request to each endpoint, in an order in which all of them succeed. The bodies are the examples of the OpenAPI
 * document, about the subjects. A dispatch, which needs devices that stand, is measured by `test/bench/dispatch.ts`;
 * a command needs a device in flight; a check waits for a platform, which there is not; missions, whose files need S3,
 * are measured by `test/bench/missions.ts`.
 */
export function requestsAbout(subjects: Subjects): Readonly<Record<EndpointKey, Request>> {
  const { jobId, shareCode, otherShareCode, deviceGroupId, deviceId, clientId, clientSecret } = subjects;
  const own = { deviceGroupId, deviceId, resourceId: deviceId, client_id: clientId, client_secret: clientSecret };
  const keys = (Object.keys(endpointTable) as EndpointKey[])
    .filter((key) => !endpointTable[key].setsDeadlines && !endpointTable[key].asksPlatform)
    .filter((key) => !key.includes(' /v3/missions'))
    .filter((key) => key !== 'POST /v3/devices/{deviceId}/commands' && !key.includes('{commandId}'))
    .sort((a, b) => turnOf(a) - turnOf(b));
  const requests = keys.map((key): [EndpointKey, Request] => {
    // What is deleted by the first path of an operation can't be deleted by its second.
    const path = { jobId, deviceId, shareCode: findFirstPath(key) === undefined ? shareCode : otherShareCode };
    const example = exampleBody(key);
    const about = (name: string, value: unknown) => (name in own ? own[name as keyof typeof own] : value);
    const fields = Object.entries(example ?? {}).map(([name, value]) => [name, about(name, value)]);
    return [key, { path, ...(example && { body: Object.fromEntries(fields) as unknown }) }];
  });
  return Object.fromEntries(requests) as Record<EndpointKey, Request>;
}

/** What creates, reads, changes, ends and deletes, in this order. */
function turnOf(key: EndpointKey): number {
  const { method, path } = splitEndpointKey(key);
  if (method === 'POST') return path.includes('{') ? 3 : 0;
  return { GET: 1, PATCH: 2 }[method] ?? 4;
}

const { paths } = openApiDocument();

function exampleBody(key: EndpointKey): object | undefined {
  const { method, path } = splitEndpointKey(key);
  const { requestBody } = paths[path]?.[method.toLowerCase()] ?? {};
  return requestBody?.content['application/json']?.examples[chosen[key] ?? 'everything']?.value as object | undefined;
}
