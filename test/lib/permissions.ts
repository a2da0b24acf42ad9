import { basename } from 'node:path';
import type { TableUses } from '../../contract/terms/endpoint';
import { referred, type CfnResource, type Synthesised } from './synthesised';

export interface Statement {
  readonly Effect: string;
  readonly Action: string | string[];
  readonly Resource: unknown;
  readonly Condition?: unknown;
}

interface Document {
  readonly Statement: readonly Statement[];
}

/** The policy documents of a stack, those in roles included, by the path of the role. */
export function policiesIn({ byPath }: Pick<Synthesised, 'byPath'>): Readonly<Record<string, Document>> {
  const inRoles = Object.entries(byPath('AWS::IAM::Role')).flatMap(([path, { Properties }]) =>
    ((Properties['Policies'] ?? []) as { PolicyDocument: Document }[]).map(
      ({ PolicyDocument }) => [path, PolicyDocument] as const,
    ),
  );
  const ofTheirOwn = Object.entries(byPath('AWS::IAM::Policy')).map(
    ([path, { Properties }]) =>
      [path.replace(/\/DefaultPolicy$/, ''), Properties['PolicyDocument'] as Document] as const,
  );
  return Object.fromEntries([...inRoles, ...ofTheirOwn]);
}

/** Reads the permissions of roles from the IAM policies of a stack. */
export function permissionsIn({ byPath, resources }: Pick<Synthesised, 'byPath' | 'resources'>) {
  const policies = policiesIn({ byPath });

  /** Permissions of a role as `Effect action resource`, sorted. `path` is the path of the construct with the role. */
  function permissionsOf(path: string): string[] {
    const permissions = (policies[`${path}/Role`]?.Statement ?? []).flatMap(({ Effect, Action, Resource }) =>
      [Action].flat().flatMap((action) => [Resource].flat().map((one) => `${Effect} ${action} ${nameOf(one)}`)),
    );
    return permissions.sort();
  }

  /**
   * Returns `jobs` for that table, `jobs/index/by-status` for an index, `jobs/stream` for its stream, the path of any other
   * construct, and `service:rest` for a joined ARN.
   */
  function nameOf(value: unknown): string {
    if (typeof value === 'string') return value;
    const { 'Fn::Join': join, 'Fn::GetAtt': attribute } = value as {
      'Fn::Join'?: [string, unknown[]];
      'Fn::GetAtt'?: [string, string];
    };
    if (join)
      return join[1]
        .map(nameOf)
        .join('')
        .replace(/^arn:<>:([a-z-]+):<>:<>:/, '$1:');
    const id = referred(value);
    if (id.startsWith('AWS::')) return '<>';
    const path = resources[id]?.Metadata?.['aws:cdk:path'] ?? '?';
    if (!path.includes('/Tables/')) return path.split('/').slice(1, -1).join('/');
    return `${path.split('/')[2]?.toLowerCase() ?? '?'}${attribute?.[1] === 'StreamArn' ? '/stream' : ''}`;
  }

  return { permissionsOf, nameOf };
}

const actions = {
  get: 'GetItem',
  batchGet: 'BatchGetItem',
  batchWrite: 'BatchWriteItem',
  query: 'Query',
  scan: 'Scan',
  put: 'PutItem',
  update: 'UpdateItem',
  delete: 'DeleteItem',
};

/** Permissions of a function that returns video URLs. */
export const videoPermissions = ['GetDataEndpoint', 'GetHLSStreamingSessionURL'].map(
  (action) => `kinesisvideo:${action} kinesisvideo:stream/*`,
);

/** Permissions of a function that manages sockets: post to them, close them, and request a count of viewers. */
export const socketPermissions = [
  ...['POST', 'DELETE'].map(
    (method) => `execute-api:ManageConnections execute-api:Realtime/WebSocket/Api/live/${method}/@connections/*`,
  ),
  'sqs:SendMessage Realtime/ViewerCounts/Changed',
];

/** Environment variables of a function that manages sockets. */
export const socketSettings = ['SOCKETS_URL', 'VIEWER_COUNT_QUEUE_URL'];

const indexes: Readonly<Record<string, readonly string[]>> = {
  jobs: ['by-status', 'with-device'],
  commands: ['open'],
  fleet: ['standing'],
  connections: ['by-socket'],
  events: ['by-channel'],
};

/**
 * Returns the permissions that a function needs for its tables, and those for logs that it has anyway, sorted.
 * @param more other permissions, as `action resource`
 */
export function permissionsFor(path: string, uses: readonly TableUses[], more: readonly string[] = []): string[] {
  const permissions = uses.flatMap((tables) =>
    Object.entries(tables).flatMap(([table, operations]) =>
      operations.flatMap((operation) => {
        const queried = operation === 'query' ? (indexes[table] ?? []) : [];
        return [
          `dynamodb:${actions[operation]} ${table}`,
          ...queried.map((index) => `dynamodb:Query ${table}/index/${index}`),
        ];
      }),
    ),
  );
  const always = [`logs:CreateLogStream ${path}/Log`, `logs:PutLogEvents ${path}/Log`];
  return [...new Set([...permissions, ...always, ...more])].map((permission) => `Allow ${permission}`).sort();
}

export const environmentOf = (lambda: CfnResource | undefined) =>
  (lambda?.Properties['Environment'] as { Variables: Record<string, unknown> } | undefined)?.Variables ?? {};

/** Path of the function of a WebSocket action, by the handler of its row: `Realtime/Actions/AnswerMessage`. */
export const actionPath = (handler: string) =>
  `Realtime/Actions/${basename(handler).replaceAll(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase())}`;

/** Functions of this app, without those of the CDK, which copy files and call AWS IoT. */
export const ownFunctions = (stack: Synthesised): Record<string, CfnResource> =>
  Object.fromEntries(
    Object.entries(stack.byPath('AWS::Lambda::Function')).filter(([path]) => !/^(Custom::|AWS679)/.test(path)),
  );
