/**
 * Streams of tables → functions: AWS::Lambda::EventSourceMapping on this machine. Behaviour: Lambda developer guide, "Using
 * AWS Lambda with Amazon DynamoDB". Sources other than DynamoDB streams are not played.
 */
import * as z from 'zod';
import { parseEventPattern } from '../event-pattern';
import type { Lambda } from '../lambda';
import { physicalId } from '../physical-id';
import { evaluate, type PolicyDocument } from '../policy';
import { propertiesOf } from '../properties';
import type { AwsApi, Service } from '../service';
import type { Sqs } from '../sqs';
import { failureRecord } from './failure-record';
import { runMapping } from './mapping';
import { openPositions, type Positions } from './positions';
import { createStreamReader } from './stream-reader';
import { createWrites } from './writes';

export interface EventSourcesOptions {
  readonly region: string;
  readonly accountId: string;
  /** Address of the DynamoDB engine. */
  readonly engineUrl: string;
  /** Where the positions in the streams are kept. */
  readonly dataFolder: string;
  readonly lambda: Pick<Lambda, 'invoke'>;
  /** Takes what could not be worked on. */
  readonly sqs: Pick<Sqs, 'send'>;
  /** Policy documents of a function's role. */
  policiesOf(functionArn: string): readonly PolicyDocument[];
  /** Takes a line for each batch that is given up; no line holds an item. */
  log(line: string): void;
}

export interface EventSources extends Service {
  /** The same API of DynamoDB, but streams are read at once when it writes, not when it is their turn. */
  watch(dynamoDb: AwsApi): AwsApi;
}

/** Last calls of functions may take so long when the service stops; what is under way then is done again. */
const FAREWELL_MS = 2000;

const mappingProperties = z.strictObject({
  FunctionName: z.string(),
  EventSourceArn: z.string().regex(/^arn:[^:]+:dynamodb:[^/]+:table\/[^/]+\/stream\/.+$/),
  StartingPosition: z.enum(['TRIM_HORIZON', 'LATEST']),
  Enabled: z.boolean().default(true),
  BatchSize: z.number().int().min(1).max(10_000).default(100),
  MaximumBatchingWindowInSeconds: z.number().int().min(0).max(300).default(0),
  FilterCriteria: z
    .strictObject({ Filters: z.array(z.strictObject({ Pattern: z.string() })).default([]) })
    .default({ Filters: [] }),
  FunctionResponseTypes: z.array(z.literal('ReportBatchItemFailures')).default([]),
  BisectBatchOnFunctionError: z.boolean().default(false),
  MaximumRetryAttempts: z.number().int().min(-1).max(10_000).default(-1),
  MaximumRecordAgeInSeconds: z.number().int().min(-1).max(604_800).default(-1),
  DestinationConfig: z
    .strictObject({ OnFailure: z.strictObject({ Destination: z.string().includes(':sqs:') }) })
    .optional(),
  /** Taken as 1: one batch after the other. */
  ParallelizationFactor: z.number().optional(),
  Tags: z.unknown().optional(),
});

interface Mapping extends z.infer<typeof mappingProperties> {
  readonly name: string;
  readonly functionArn: string;
  readonly tableName: string;
}

/** The mappings of one template. They should start last and stop first of all services: they call the others. */
export function createEventSources(options: EventSourcesOptions): EventSources {
  const { region, accountId, engineUrl, dataFolder, lambda, sqs, log } = options;
  const mappings: Mapping[] = [];
  const writes = createWrites();
  const stopping = new AbortController();
  let running: Promise<void>[] = [];
  let positions: Positions | undefined;

  /** A mapping reads and sends with the role of its function; Lambda checks that when it is created. */
  function checkRole({ name, functionArn, EventSourceArn, DestinationConfig }: Mapping): void {
    const queue = DestinationConfig?.OnFailure.Destination;
    const needed = [
      ...['GetRecords', 'GetShardIterator', 'DescribeStream', 'ListStreams'].map((operation) => ({
        action: `dynamodb:${operation}`,
        resource: EventSourceArn,
      })),
      ...(queue === undefined ? [] : [{ action: 'sqs:SendMessage', resource: queue }]),
    ];
    const documents = options.policiesOf(functionArn);
    const refused = needed.find((one) => evaluate(documents, one) !== 'allow');
    if (!refused) return;
    throw new Error(`${name}: the role of ${functionArn} does not allow ${refused.action} on ${refused.resource}`);
  }

  function run(mapping: Mapping, known: Positions): Promise<void> {
    const { name, functionArn, EventSourceArn: streamArn, DestinationConfig } = mapping;
    return runMapping({
      region,
      streamArn,
      tableName: mapping.tableName,
      batchSize: mapping.BatchSize,
      windowMs: mapping.MaximumBatchingWindowInSeconds * 1000,
      filters: mapping.FilterCriteria.Filters.map(({ Pattern }) => parseEventPattern(Pattern)),
      bisects: mapping.BisectBatchOnFunctionError,
      reportsFailures: mapping.FunctionResponseTypes.length > 0,
      maxRetries: mapping.MaximumRetryAttempts,
      maxAgeSeconds: mapping.MaximumRecordAgeInSeconds,
      signal: stopping.signal,
      reader: createStreamReader(engineUrl, streamArn, known.of(name, streamArn) ?? mapping.StartingPosition),
      writes,
      invoke: (event) => lambda.invoke(functionArn, event),
      discard: (records, shardId, reason, calls) => {
        const failure = failureRecord({ records, reason, calls, functionArn, streamArn, shardId });
        log(`${name}: ${records.length} records were given up: ${JSON.stringify(failure)}`);
        if (DestinationConfig) sqs.send(DestinationConfig.OnFailure.Destination, JSON.stringify(failure));
      },
      reached: (position) => known.note(name, streamArn, position),
      log: (line) => log(`${name}: ${line}`),
    });
  }

  return {
    types: ['AWS::Lambda::EventSourceMapping'],
    watch: writes.watch,

    create(resource) {
      const properties = propertiesOf(resource, mappingProperties);
      const { FunctionName, EventSourceArn, FilterCriteria } = properties;
      for (const { Pattern } of FilterCriteria.Filters) parseEventPattern(Pattern);
      const functionArn = FunctionName.startsWith('arn:')
        ? FunctionName
        : `arn:aws:lambda:${region}:${accountId}:function:${FunctionName}`;
      const tableName = EventSourceArn.split('/')[1] ?? '';
      mappings.push({ ...properties, name: resource.logicalId, functionArn, tableName });
      const id = physicalId(resource.logicalId, 32);
      const arn = `arn:aws:lambda:${region}:${accountId}:event-source-mapping:${id}`;
      return { ref: id, attributes: { Id: id, EventSourceMappingArn: arn } };
    },

    start() {
      const known = (positions = openPositions(dataFolder));
      mappings.forEach(checkRole);
      running = mappings.filter(({ Enabled }) => Enabled).map((mapping) => run(mapping, known));
      return Promise.resolve();
    },

    async stop() {
      stopping.abort();
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, FAREWELL_MS)));
      await Promise.race([Promise.all(running), late]);
      clearTimeout(timer);
      positions?.flush();
    },
  };
}
