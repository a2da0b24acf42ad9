import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { accessDenied, failure, type AwsRequestKind } from './aws-error';
import { noMeter, type Meter } from '../billing/meter';
import { noFaults, type Faults } from '../faults';
import { KEEP_ALIVE_MS } from '../keep-alive';
import { evaluate, type PolicyDocument } from '../iam/policy';
import type { AwsAnswer, AwsApi, AwsCall } from '../service';

/**
 * Credentials of one caller. Signatures are not verified: the access key id is random and valid only on this machine.
 */
export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string;
}

/** Number of calls by caller and operation, such as `dynamodb:GetItem`. */
export type CallCounts = Readonly<Record<string, Readonly<Record<string, number>>>>;

interface Caller {
  readonly name: string;
  /** `undefined`: everything is allowed. */
  readonly policies: (() => readonly PolicyDocument[]) | undefined;
  readonly counts: Map<string, number>;
}

/** Endpoint of all AWS APIs on this machine; set as `AWS_ENDPOINT_URL`. */
export interface AwsEndpoint {
  /** Known after `start`. */
  readonly url: string;
  /** Credentials without restrictions: for the command line, seed data and the stack itself. */
  readonly admin: Credentials;
  /** Adds an API; a second one with the same signing name is ignored. */
  add(api: AwsApi): void;
  /** Issues credentials to a caller whose policies are evaluated at every call, such as a function with its role. */
  register(name: string, policies: () => readonly PolicyDocument[]): Credentials;
  /** Number of calls so far; denied calls are not counted. */
  calls(): CallCounts;
  /** Listens on 127.0.0.1; 0 takes any free port. */
  start(port?: number): Promise<void>;
  stop(): Promise<void>;
}

/**
 * One HTTP server for every AWS API. The credential scope of Signature Version 4 identifies caller and API. The
 * caller's IAM policies are evaluated as in AWS, so that a missing grant fails here first. `faults` apply to all
 * callers but the administrator.
 * `GET /_calls` with `Authorization: Bearer <admin access key id>` returns {@link CallCounts} as JSON, `GET /_usage` what `meter`
 * has counted, to which calls are added by caller, and `GET /_statistics/<signing name>` what an API has of its own.
 */
export function createAwsEndpoint(faults: Pick<Faults, 'call'> = noFaults, meter: Meter = noMeter): AwsEndpoint {
  const apis = new Map<string, AwsApi>();
  const callers = new Map<string, Caller>();
  let server: Server | undefined;
  let url = '';

  const issueCredentials = (name: string, policies: Caller['policies']): Credentials => {
    const accessKeyId = `LOCAL${randomBytes(12).toString('hex').toUpperCase()}`;
    callers.set(accessKeyId, { name, policies, counts: new Map() });
    return { accessKeyId, secretAccessKey: randomBytes(20).toString('hex'), sessionToken: 'local' };
  };
  const admin = issueCredentials('admin', undefined);

  const calls = (): CallCounts => {
    const counts: Record<string, Record<string, number>> = {};
    for (const caller of callers.values()) counts[caller.name] = Object.fromEntries(caller.counts);
    return counts;
  };

  const answer = async (request: IncomingMessage, body: Buffer): Promise<AwsAnswer> => {
    const authorization = request.headers.authorization ?? '';
    if (authorization === `Bearer ${admin.accessKeyId}`) {
      if (request.url === '/_calls') return json(calls());
      if (request.url === '/_usage') return json(meter.usage());
      const [, of = ''] = /^\/_statistics\/(.+)$/.exec(request.url ?? '') ?? [];
      const statistics = apis.get(of)?.statistics;
      if (statistics) return json(statistics());
    }
    const scope = credentialScope(authorization, request.url ?? '');
    const kind = kindOf(request, scope?.service);
    if (!scope) return failure(kind, 403, 'MissingAuthenticationToken', 'The request is not signed');
    const caller = callers.get(scope.accessKeyId);
    const unknown = kind === 's3' ? 'InvalidAccessKeyId' : 'UnrecognizedClientException';
    if (!caller) return failure(kind, 403, unknown, 'The access key id is unknown');
    const api = apis.get(scope.service);
    if (!api) return failure(kind, 501, 'NotImplemented', `The API ${scope.service} is not supported on this machine`);
    const call: AwsCall = {
      service: scope.service,
      method: request.method ?? 'GET',
      path: request.url ?? '/',
      headers: request.headers,
      body,
    };
    const required = api.permissions(call);
    if (caller.policies) {
      const documents = caller.policies();
      const denied = required.find((one) => evaluate(documents, one) !== 'allow');
      if (denied) return accessDenied(kind, caller.name, denied);
    }
    const operation = operationOf(call) ?? required[0]?.action ?? `${call.service}:${call.method}`;
    caller.counts.set(operation, (caller.counts.get(operation) ?? 0) + 1);
    const answered = await (caller.policies ? faults.call(call, (made) => api.answer(made)) : api.answer(call));
    if (answered.charges) meter.charge(caller.name, answered.charges);
    return answered;
  };

  const serve = (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
      answer(request, body)
        .catch((error: unknown) =>
          failure(kindOf(request, serviceOf(request)), 500, 'InternalFailure', messageOf(error)),
        )
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
    register: (name, policies) => issueCredentials(name, policies),
    calls,
    start: async (port = 0) => {
      const started = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, serve);
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

/**
 * Access key id and service from `Credential=<key>/<date>/<region>/<service>/aws4_request`, in the header or a
 * presigned query.
 */
function credentialScope(authorization: string, path: string): { accessKeyId: string; service: string } | undefined {
  const header = /Credential=([^/,\s]+)\/\d+\/[^/]+\/([^/]+)\/aws4_request/.exec(authorization);
  const found = header ?? /[?&]X-Amz-Credential=([^%/&]+)(?:%2F|\/)\d+(?:%2F|\/)[^%/]+(?:%2F|\/)([^%/]+)/.exec(path);
  return found?.[1] && found[2] ? { accessKeyId: found[1], service: found[2] } : undefined;
}

const serviceOf = ({ headers, url }: IncomingMessage) =>
  credentialScope(headers.authorization ?? '', url ?? '')?.service;

/** @param service signing name of the call, if it is signed */
function kindOf(request: IncomingMessage, service: string | undefined): AwsRequestKind {
  // Its content type is that of an object.
  if (service === 's3') return 's3';
  const type = request.headers['content-type'] ?? '';
  if (type.startsWith('application/x-amz-json')) return 'json';
  return type.startsWith('application/x-www-form-urlencoded') ? 'query' : 'rest';
}

/** The JSON protocols send the operation in a header: `DynamoDB_20120810.GetItem`. */
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
