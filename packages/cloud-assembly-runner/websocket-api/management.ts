/**
 * The `@connections` API: API Gateway developer guide, "Use @connections commands in your backend service", and the model of
 * ApiGatewayManagementApi (errors and their statuses).
 */
import { failure } from '../aws-endpoint/aws-error';
import type { Charges } from '../billing/meter';
import type { Quotas } from '../quotas';
import type { AwsAnswer, AwsApi, AwsCall } from '../service';
import { MAX_MESSAGE_BYTES, type Connection } from './connection';

export interface OpenConnections {
  /** The connection with this id, from the end of its handshake until it ends. */
  get(connectionId: string): Connection | undefined;
  /** ARN of the connection's stage; for an unknown connection, of the named stage or else of the first one. */
  stageArn(connectionId: string, stageName: string | undefined): string;
  readonly quotas: Pick<Quotas, 'admits'>;
  /** Of a message to a client, by its size. */
  chargesOf(connectionId: string, bytes: number): Charges;
  /** A message was sent to a client. */
  posted(connectionId: string): void;
}

/**
 * The path is `/@connections/<id>`, with or without a stage and other segments before it, because all functions share one
 * endpoint; the connection id identifies the API.
 */
export function createManagement(connections: OpenConnections): AwsApi {
  return {
    signingName: 'execute-api',

    permissions({ method, path }) {
      const { connectionId = '', stageName } = targetOf(path) ?? {};
      const resource = `${connections.stageArn(connectionId, stageName)}/${method}/@connections/${connectionId}`;
      return [{ action: 'execute-api:ManageConnections', resource }];
    },

    answer: (call) => Promise.resolve(answer(call)),
  };

  function answer({ method, path, body }: AwsCall): AwsAnswer {
    const target = targetOf(path);
    const command = commands[method];
    if (!target || !command) return failure('rest', 403, 'ForbiddenException', 'Forbidden');
    if (!connections.quotas.admits('apiGatewayRequests')) {
      return failure('rest', 429, 'LimitExceededException', 'Too Many Requests');
    }
    if (body.length > MAX_MESSAGE_BYTES) {
      return failure('rest', 413, 'PayloadTooLargeException', 'Message too long');
    }
    const connection = connections.get(target.connectionId);
    if (!connection) return failure('rest', 410, 'GoneException', 'Gone');
    const answered = command(connection, body);
    if (method !== 'POST' || answered.status !== 200) return answered;
    connections.posted(target.connectionId);
    return { ...answered, charges: connections.chargesOf(target.connectionId, body.length) };
  }
}

const EMPTY: AwsAnswer = { status: 200, headers: {}, body: '' };

const commands: Readonly<Record<string, (connection: Connection, body: Buffer) => AwsAnswer>> = {
  POST: (connection, body) =>
    connection.post(body)
      ? EMPTY
      : failure('rest', 429, 'LimitExceededException', 'The buffer of the WebSocket client is full'),

  GET: ({ facts, lastActiveAt }) => ({
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      connectedAt: new Date(facts.connectedAt).toISOString(),
      identity: facts.identity,
      lastActiveAt: new Date(lastActiveAt).toISOString(),
    }),
  }),

  DELETE: (connection) => {
    connection.close(1000, 'Connection Closed Normally');
    return { ...EMPTY, status: 204 };
  },
};

function targetOf(path: string): { connectionId: string; stageName: string | undefined } | undefined {
  const [, before = '', id = ''] = /^(.*)\/@connections\/([^/?]+)(?:\?.*)?$/.exec(decoded(path)) ?? [];
  return id === '' ? undefined : { connectionId: id, stageName: before.split('/').filter(Boolean).at(-1) };
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return '';
  }
}
