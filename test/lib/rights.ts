import type { Endpoint } from '../../contract/endpoint';
import { referred, type CfnResource, type Synthesised } from './synthesised';

interface Statement {
  readonly Effect: string;
  readonly Action: string | string[];
  readonly Resource: unknown;
}

/** Reads who may do what from the policies of a stack. */
export function rightsIn({ byPath, resources }: Pick<Synthesised, 'byPath' | 'resources'>) {
  const policies = byPath('AWS::IAM::Policy');

  /** What a role may do, as `Effect action resource`, sorted. `place` is the path of what has the role. */
  function rightsOf(place: string): string[] {
    const document = policies[`${place}/Role/DefaultPolicy`]?.Properties['PolicyDocument'] as {
      Statement: Statement[];
    };
    const rights = document.Statement.flatMap(({ Effect, Action, Resource }) =>
      [Action].flat().flatMap((action) => [Resource].flat().map((one) => `${Effect} ${action} ${nameOf(one)}`)),
    );
    return rights.sort();
  }

  /**
   * `jobs` for that table, `jobs/index/by-status` for an index, `jobs/stream` for its stream, the path of any other
   * construct, and `service:rest` for an ARN that is put together.
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

  return { rightsOf, nameOf };
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

/** What a row or a construct that plays live video may do besides. */
export const videoRights = ['GetDataEndpoint', 'GetHLSStreamingSessionURL'].map(
  (action) => `kinesisvideo:${action} kinesisvideo:stream/*`,
);

/** What manages sockets may do: post to them, close them, and have the viewers counted of shares whose sockets are gone. */
export const socketRights = [
  ...['POST', 'DELETE'].map(
    (method) => `execute-api:ManageConnections execute-api:StatusChannels/Sockets/Api/live/${method}/@connections/*`,
  ),
  'sqs:SendMessage StatusChannels/ViewerCounts/Changed',
];

/** What it finds in its environment for that. */
export const socketSettings = ['SOCKETS_URL', 'VIEWER_COUNT_QUEUE_URL'];

const indexes: Readonly<Record<string, string>> = { jobs: 'by-status', connections: 'by-connection' };

/**
 * The rights that a function needs for its tables, with the log and the trace that every function has, sorted.
 * @param more other rights, as `action resource`
 */
export function rightsFor(place: string, uses: readonly Endpoint['tables'][], more: readonly string[] = []): string[] {
  const rights = uses.flatMap((tables) =>
    Object.entries(tables).flatMap(([table, operations]) =>
      operations.flatMap((operation) => {
        const index = operation === 'query' ? indexes[table] : undefined;
        return [
          `dynamodb:${actions[operation]} ${table}`,
          ...(index === undefined ? [] : [`dynamodb:Query ${table}/index/${index}`]),
        ];
      }),
    ),
  );
  const always = [
    `logs:CreateLogStream ${place}/Log`,
    `logs:PutLogEvents ${place}/Log`,
    'xray:PutTelemetryRecords *',
    'xray:PutTraceSegments *',
  ];
  return [...new Set([...rights, ...always, ...more])].map((right) => `Allow ${right}`).sort();
}

export const environmentOf = (lambda: CfnResource | undefined) =>
  (lambda?.Properties['Environment'] as { Variables: Record<string, unknown> } | undefined)?.Variables ?? {};

/** The functions of ours; the CDK brings some of its own, to copy files and to ask AWS IoT for an address. */
export const ownFunctions = (stack: Synthesised): Record<string, CfnResource> =>
  Object.fromEntries(
    Object.entries(stack.byPath('AWS::Lambda::Function')).filter(([place]) => !/^(Custom::|AWS679)/.test(place)),
  );
