/** Data plane API: AWS IoT API reference, "AWS IoT data", for @aws-sdk/client-iot-data-plane. */
import { failure } from '../aws-endpoint/aws-error';
import type { Quotas } from '../quotas';
import type { AwsAnswer, AwsApi, AwsCall } from '../service';
import type { Arns } from './arns';
import { apiPublishCharges } from './charges';
import type { Broker } from './broker/broker';
import type { RetainedMessage, RetainedMessages } from './broker/retained';
import { admitsRetained, MAX_PAYLOAD_BYTES } from './authorization';
import { isInvalidTopic } from './topic';

/** A parsed call: `name` is the topic or the client id in its path. */
interface Request {
  readonly name: string;
  readonly query: URLSearchParams;
  readonly body: Buffer;
}

interface Operation {
  readonly method: string;
  readonly path: RegExp;
  permissions(request: Request): ReturnType<AwsApi['permissions']>;
  run(request: Request): AwsAnswer | Promise<AwsAnswer>;
}

interface DataPlaneOptions {
  /** Undefined while the broker does not run. */
  broker(): Broker | undefined;
  readonly retained: RetainedMessages;
  readonly arns: Arns;
  readonly quotas: Quotas;
}

/** Of a page. */
const MAX_RESULTS = 200;

const ok = (value: unknown = {}): AwsAnswer => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(value),
});
const invalid = (message: string) => failure('rest', 400, 'InvalidRequestException', message);
const notFound = (message: string) => failure('rest', 404, 'ResourceNotFoundException', message);
const isTrue = ({ query }: Request, name: string) => query.get(name) === 'true';

/** Publish, DeleteConnection, ListSubscriptions, GetRetainedMessage and ListRetainedMessages. */
export function createDataPlane({ broker, retained, arns, quotas }: DataPlaneOptions): AwsApi {
  function isThrottled({ name: topic, body }: Request, retain: boolean): boolean {
    if (retain && !admitsRetained(quotas, topic)) return true;
    const isOneMore = retain && body.length > 0 && retained.get(topic) === undefined;
    const isBounded = quotas.retainedMessages < Infinity;
    return (
      (isBounded && isOneMore && retained.count >= quotas.retainedMessages) || !quotas.admits('iotInboundPublishes')
    );
  }

  const publish: Operation = {
    method: 'POST',
    path: /^\/topics\/([^/]+)$/,
    permissions: (request) => {
      const resource = arns.topic(request.name);
      const publishing = { action: 'iot:Publish', resource };
      return isTrue(request, 'retain') ? [publishing, { action: 'iot:RetainPublish', resource }] : [publishing];
    },
    async run(request) {
      const { name: topic, query, body: payload } = request;
      const qos = query.get('qos') ?? '0';
      if (isInvalidTopic(topic)) return invalid('The topic is reserved, too long, or has a wildcard');
      if (qos !== '0' && qos !== '1') return invalid('qos must be 0 or 1');
      if (!/^\d*$/.test(query.get('messageExpiry') ?? '')) return invalid('messageExpiry must be a number of seconds');
      if (payload.length > MAX_PAYLOAD_BYTES)
        return failure('rest', 413, 'RequestEntityTooLargeException', 'The payload exceeds 128 KB');
      const retain = isTrue(request, 'retain');
      if (isThrottled(request, retain)) return failure('rest', 429, 'ThrottlingException', 'Rate exceeded');
      const running = broker();
      if (!running) return failure('rest', 503, 'ServiceUnavailableException', 'The broker does not run');
      const expirySeconds = query.has('messageExpiry') ? Number(query.get('messageExpiry')) : undefined;
      const how = { qos: qos === '0' ? (0 as const) : (1 as const), retain, expirySeconds };
      await running.publish({ topic, payload, ...how });
      return { ...ok(), charges: apiPublishCharges(topic, payload, retain) };
    },
  };

  const deleteConnection: Operation = {
    method: 'DELETE',
    path: /^\/connections\/([^/]+)$/,
    permissions: ({ name }) => [{ action: 'iot:DeleteConnection', resource: arns.client(name) }],
    async run(request) {
      const options = {
        cleanSession: isTrue(request, 'cleanSession'),
        preventWill: isTrue(request, 'preventWillMessage'),
      };
      const done = await broker()?.disconnect(request.name, options);
      return done === true ? ok() : notFound('The client is not connected');
    },
  };

  const listSubscriptions: Operation = {
    method: 'GET',
    path: /^\/connections\/([^/]+)\/subscriptions$/,
    permissions: ({ name }) => [{ action: 'iot:ListSubscriptions', resource: arns.client(name) }],
    run({ name, query }) {
      if (name.startsWith('$')) return invalid('The client id must not begin with $');
      const subscriptions = broker()?.subscriptionsOf(name);
      if (!subscriptions) return notFound('The client has no session');
      const listed = [...subscriptions].map(([topicFilter, qos]) => ({ topicFilter, qos }));
      return paged(listed, query, ({ topicFilter }) => topicFilter, 'subscriptions');
    },
  };

  const getRetainedMessage: Operation = {
    method: 'GET',
    path: /^\/retainedMessage\/([^/]+)$/,
    permissions: ({ name }) => [{ action: 'iot:GetRetainedMessage', resource: arns.topic(name) }],
    run({ name }) {
      const message = retained.get(name);
      return message
        ? ok({ ...message, payload: message.payload.toString('base64') })
        : notFound('No retained message');
    },
  };

  const listRetainedMessages: Operation = {
    method: 'GET',
    path: /^\/retainedMessage$/,
    permissions: () => [{ action: 'iot:ListRetainedMessages', resource: '*' }],
    run: ({ query }) => paged(retained.list().map(summaryOf), query, ({ topic }) => topic, 'retainedTopics'),
  };

  const operations = [publish, deleteConnection, listSubscriptions, getRetainedMessage, listRetainedMessages];

  return {
    signingName: 'iotdata',
    permissions(call) {
      const found = find(operations, call);
      return found?.operation.permissions(found.request) ?? [{ action: 'iot:Unknown', resource: '*' }];
    },
    async answer(call) {
      const found = find(operations, call);
      if (!found)
        return failure('rest', 501, 'NotImplemented', `${call.method} ${call.path} is not supported on this machine`);
      return found.operation.run(found.request);
    },
  };
}

/** A page of a list in the order of its keys; `nextToken` is the key of its last item. */
function paged<Item>(list: readonly Item[], query: URLSearchParams, keyOf: (item: Item) => string, name: string) {
  const most = Number(query.get('maxResults') ?? 20);
  if (!Number.isInteger(most) || most < 1 || most > MAX_RESULTS)
    return invalid(`maxResults must be from 1 to ${MAX_RESULTS}`);
  const after = Buffer.from(query.get('nextToken') ?? '', 'base64url').toString();
  const rest = list.filter((item) => keyOf(item) > after).sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
  const page = rest.slice(0, most);
  const last = rest.length > page.length ? page.at(-1) : undefined;
  return ok({ [name]: page, ...(last && { nextToken: Buffer.from(keyOf(last)).toString('base64url') }) });
}

function find(operations: readonly Operation[], { method, path, body }: AwsCall) {
  const url = new URL(path, 'http://localhost');
  for (const operation of operations) {
    const match = operation.method === method ? operation.path.exec(url.pathname) : null;
    if (!match) continue;
    const request: Request = { name: decodeURIComponent(match[1] ?? ''), query: url.searchParams, body };
    return { operation, request };
  }
  return undefined;
}

function summaryOf({ topic, payload, qos, lastModifiedTime }: RetainedMessage) {
  return { topic, payloadSize: payload.length, qos, lastModifiedTime };
}
