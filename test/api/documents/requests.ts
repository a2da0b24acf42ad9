import type { PlacedOperation } from '../../contract/documents/openapi-file';
import { givenFreeDevices } from '../../channels/flying-device';
import type { Client } from '../client';
import { fleetOf, givenCommand, givenJob, givenMission, givenShare } from '../given';
import { readFacts } from '../stack/facts';
import type { Received } from './documented';

/** A request to an operation; each part can be left out. */
export interface Request {
  readonly method?: string;
  /** Values of the parameters in the path. */
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text is sent unchanged, anything else as JSON. */
  readonly body?: unknown;
}

/** Sends a request to an operation. */
export async function sendTo({ method, path }: PlacedOperation, request: Request): Promise<Received> {
  const { body, query = '' } = request;
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(request.path?.[name] ?? 'none'));
  const response = await fetch(readFacts().baseUrl + filled + query, {
    method: request.method ?? method,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...request.headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = /[/+]json\b/.test(response.headers.get('content-type') ?? '');
  return { status: response.status, headers: response.headers, body: isJson && text ? JSON.parse(text) : text };
}

/** Real values for those in the examples. */
function realValues(client: Client): Readonly<Record<string, unknown>> {
  const { deviceGroupId, deviceId } = fleetOf(client);
  const { clientId, clientSecret } = client.credentials;
  return { deviceGroupId, deviceId, resourceId: deviceId, client_id: clientId, client_secret: clientSecret };
}

/** An example with the client's values in place of invented ones. */
export const withRealValues = (example: unknown, client: Client): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(example as Record<string, unknown>).map(([name, value]) => [
      name,
      realValues(client)[name] ?? value,
    ]),
  );

const needs = ({ path }: PlacedOperation, name: string) => path.includes(`{${name}}`);

/** The headers by which a client is allowed to call an operation. */
export async function authorised({ operation }: PlacedOperation, client: Client): Promise<Record<string, string>> {
  const withKey = operation.security.some((alternative) => 'apiKey' in alternative);
  return withKey ? { 'x-api-key': client.credentials.apiKey } : { authorization: `Bearer ${await client.token()}` };
}

/** A request that succeeds: with resources of its own, and the first example of the body. */
export async function validRequest(placed: PlacedOperation, client: Client): Promise<Request> {
  const content = placed.operation.requestBody?.content ?? {};
  const [[type, first] = ['', undefined]] = Object.entries(content);
  const [example] = Object.values(first?.examples ?? {});
  // Each call takes one of them.
  if (placed.path.endsWith('/dispatch')) await givenFreeDevices(fleetOf(client).deviceGroupId, 12);
  const command = needs(placed, 'deviceId') ? await givenCommand(client) : undefined;
  return {
    path: {
      ...(command && { deviceId: command.deviceId, commandId: command.commandId }),
      ...(needs(placed, 'jobId') && { jobId: (await givenJob(client)).jobId }),
      ...(needs(placed, 'missionId') && { missionId: (await givenMission(client)).missionId }),
      ...(needs(placed, 'shareCode') && { shareCode: (await givenShare(client)).shareCode }),
    },
    headers: { ...(example && { 'content-type': type }), ...(await authorised(placed, client)) },
    ...(example && { body: withRealValues(example.value, client) }),
  };
}
