import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { accessDenied, failure, type AwsRequestKind } from './aws-refusal';
import { noFaults, type Faults } from './faults';
import { evaluate, type PolicyDocument } from './policy';
import type { AwsAnswer, AwsApi, AwsCall } from './service';

/** Keys of one caller; the secret signs requests but is not checked here: the access key id is random and loopback's own. */
export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string;
}

/** Calls that reached an API: caller, then operation such as `dynamodb:GetItem`, then how many. */
export type CallCounts = Readonly<Record<string, Readonly<Record<string, number>>>>;

interface Caller {
  readonly name: string;
  /** `undefined`: allowed everything. */
  readonly policies: (() => readonly PolicyDocument[]) | undefined;
  readonly counts: Map<string, number>;
}

/** The endpoint of all AWS APIs on this machine: what `AWS_ENDPOINT_URL` names. */
export interface AwsEndpoint {
  /** Base address; known after `start`. */
  readonly url: string;
  /** The caller that may do everything: command line, seeding, the stack itself. */
  readonly admin: Credentials;
  /** Takes a further API; `answer` of a second one with the same signing name is never reached. */
  add(api: AwsApi): void;
  /** Keys for a caller whose policies are asked for at every call, such as a function with its role. */
  register(name: string, policies: () => readonly PolicyDocument[]): Credentials;
  /** How often each caller has called each operation so far, refused calls left out. */
  calls(): CallCounts;
  /** Listens on loopback; 0 takes a free port. */
  start(port?: number): Promise<void>;
  stop(): Promise<void>;
}

/**
 * One HTTP server that plays every AWS API. Who calls and which API is meant is read from the credential scope of
 * Signature Version 4; the caller's IAM policies are evaluated as AWS would, so that a missing grant fails here first.
 * What befalls calls of functions, `faults` says; the administrator's are spared.
 * `GET /_calls` with `Authorization: Bearer <admin access key id>` gives {@link CallCounts} as JSON.
 */
export function createAwsEndpoint(faults: Pick<Faults, 'call'> = noFaults): AwsEndpoint {
  const apis = new Map<string, AwsApi>();
  const callers = new Map<string, Caller>();
  let server: Server | undefined;
  let url = '';

  const enrol = (name: string, policies: Caller['policies']): Credentials => {
    const accessKeyId = `LOCAL${randomBytes(12).toString('hex').toUpperCase()}`;
    callers.set(accessKeyId, { name, policies, counts: new Map() });
    return { accessKeyId, secretAccessKey: randomBytes(20).toString('hex'), sessionToken: 'local' };
  };
  const admin = enrol('admin', undefined);

  const calls = (): CallCounts => {
    const counts: Record<string, Record<string, number>> = {};
    for (const caller of callers.values()) counts[caller.name] = Object.fromEntries(caller.counts);
    return counts;
  };

  const answer = async (request: IncomingMessage, body: Buffer): Promise<AwsAnswer> => {
    const authorization = request.headers.authorization ?? '';
    if (request.url === '/_calls' && authorization === `Bearer ${admin.accessKeyId}`) return json(calls());
    const kind = kindOf(request);
    const scope = credentialScope(authorization, request.url ?? '');
    if (!scope) return failure(kind, 403, 'MissingAuthenticationToken', 'The request is not signed');
    const caller = callers.get(scope.accessKeyId);
    if (!caller) return failure(kind, 403, 'UnrecognizedClientException', 'The access key id is not known here');
    const api = apis.get(scope.service);
    if (!api) return failure(kind, 501, 'NotImplemented', `No service here plays the API ${scope.service}`);
    const call: AwsCall = {
      service: scope.service,
      method: request.method ?? 'GET',
      path: request.url ?? '/',
      headers: request.headers,
      body,
    };
    const wanted = api.permissions(call);
    if (caller.policies) {
      const documents = caller.policies();
      const refused = wanted.find((one) => evaluate(documents, one) !== 'allow');
      if (refused) return accessDenied(kind, caller.name, refused);
    }
    const operation = operationOf(call) ?? wanted[0]?.action ?? `${call.service}:${call.method}`;
    caller.counts.set(operation, (caller.counts.get(operation) ?? 0) + 1);
    return caller.policies ? faults.call(call, () => api.answer(call)) : api.answer(call);
  };

  const serve = (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
      answer(request, body)
        .catch((error: unknown) => failure(kindOf(request), 500, 'InternalFailure', messageOf(error)))
        .then(({ status, headers, body: content }) => {
          response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(content) });
          response.end(content);
        })
        .catch(() => response.destroy());
    });
  };

  return {
    get url() {
      return url;
    },
    admin,
    add: (api) => {
      if (!apis.has(api.signingName)) apis.set(api.signingName, api);
    },
    register: (name, policies) => enrol(name, policies),
    calls,
    start: async (port = 0) => {
      const started = createServer({ keepAliveTimeout: 60_000 }, serve);
      await new Promise<void>((resolve, reject) => {
        started.once('error', reject).listen(port, '127.0.0.1', resolve);
      });
      server = started;
      url = `http://127.0.0.1:${(started.address() as AddressInfo).port}`;
    },
    stop: async () => {
      const running = server;
      if (!running) return;
      server = undefined;
      await new Promise<void>((resolve) => {
        running.close(() => resolve());
        running.closeAllConnections();
      });
    },
  };
}

/** Who signed and for which API: `Credential=<key>/<date>/<region>/<service>/aws4_request`, header or presigned query. */
function credentialScope(authorization: string, path: string): { accessKeyId: string; service: string } | undefined {
  const header = /Credential=([^/,\s]+)\/\d+\/[^/]+\/([^/]+)\/aws4_request/.exec(authorization);
  const found = header ?? /[?&]X-Amz-Credential=([^%/&]+)(?:%2F|\/)\d+(?:%2F|\/)[^%/]+(?:%2F|\/)([^%/]+)/.exec(path);
  return found?.[1] && found[2] ? { accessKeyId: found[1], service: found[2] } : undefined;
}

function kindOf(request: IncomingMessage): AwsRequestKind {
  const type = request.headers['content-type'] ?? '';
  if (type.startsWith('application/x-amz-json')) return 'json';
  return type.startsWith('application/x-www-form-urlencoded') ? 'query' : 'rest';
}

/** The JSON protocols name the operation in a header: `DynamoDB_20120810.GetItem`. */
function operationOf(call: AwsCall): string | undefined {
  const target = call.headers['x-amz-target'];
  return typeof target === 'string' ? `${call.service}:${target.slice(target.lastIndexOf('.') + 1)}` : undefined;
}

function json(value: unknown): AwsAnswer {
  return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
