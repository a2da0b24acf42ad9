/**
 * AWS::Lambda::EventSourceMapping for DynamoDB streams and SQS queues: Lambda developer guide, "Using Lambda with
 * DynamoDB" and "with Amazon SQS". Other sources are not supported.
 */
import { setMaxListeners } from 'node:events';
import type { Meter } from '../billing/meter';
import type { TtlDeletions } from '../dynamodb/time-to-live';
import { parseEventPattern } from '../events/event-pattern';
import type { Faults } from '../faults';
import type { Lambda } from '../lambda';
import { physicalId } from '../cloudformation/physical-id';
import { evaluate, type AccessRequest, type PolicyDocument } from '../iam/policy';
import { propertiesOf } from '../cloudformation/properties';
import type { AwsApi, Resource, Service } from '../service';
import type { Sqs } from '../sqs';
import {
  openPositions,
  startStreamSource,
  streamSourcePermissions,
  streamSourceProperties,
  type Positions,
} from './stream-source';
import { queueSourcePermissions, queueSourceProperties, startQueueSource } from './queue-source';
import { createTableWrites } from './table-writes';

export interface EventSourcesOptions {
  readonly region: string;
  readonly accountId: string;
  readonly engineUrl: string;
  /** Folder of the file with the stream positions. */
  readonly dataFolder: string;
  readonly lambda: Pick<Lambda, 'invoke' | 'timeoutOf' | 'deadLetterQueueOf'> & Partial<Pick<Lambda, 'publishAge'>>;
  /** Source queues and failure destinations. */
  readonly sqs: Pick<Sqs, 'send' | 'queue'>;
  /** Deletions by time to live. Default: none. */
  readonly ttlDeletions?: Pick<TtlDeletions, 'has'>;
  /** Default: no faults. */
  readonly faults?: Pick<Faults, 'batch' | 'streamRetriesMs' | 'retryDelayMs'>;
  /** Default: none. */
  readonly meter?: Meter;
  /** Policy documents of a function's role. */
  policiesOf(functionArn: string): readonly PolicyDocument[];
  /** Writes a line for each batch that fails or is discarded; lines contain no items or messages. */
  log(line: string): void;
}

export interface EventSources extends Service {
  /** Wraps the DynamoDB API so that a stream is read immediately after a write, without waiting for the next poll. */
  watch(dynamoDb: AwsApi): AwsApi;
}

/** At shutdown, time for running invocations. Batches that don't finish are processed again. */
const SHUTDOWN_TIMEOUT_MS = 2000;

interface Mapping {
  readonly name: string;
  readonly functionArn: string;
  readonly enabled: boolean;
  /** Permissions that the function's role must have. */
  readonly requiredPermissions: readonly AccessRequest[];
  run(positions: Positions): Promise<void>;
}

/** Event source mappings of a template. They call the other services, so start them last and stop them first. */
export function createEventSources(options: EventSourcesOptions): EventSources {
  const { region, accountId } = options;
  const mappings: Mapping[] = [];
  const writes = createTableWrites();
  const stopping = new AbortController();
  // There is one listener per event source.
  setMaxListeners(0, stopping.signal);
  const shared = { ttlDeletions: { has: () => false }, ...options, writes, signal: stopping.signal };
  let running: Promise<void>[] = [];
  let positions: Positions | undefined;

  function mappingOf(resource: Resource): Mapping {
    const name = resource.logicalId;
    if (String(resource.properties['EventSourceArn']).includes(':sqs:')) {
      const properties = propertiesOf(resource, queueSourceProperties);
      checkFilters(properties);
      const functionArn = arnOf(properties.FunctionName);
      const run = () => startQueueSource(name, functionArn, properties, shared);
      return {
        name,
        functionArn,
        enabled: properties.Enabled,
        requiredPermissions: queueSourcePermissions(properties.EventSourceArn),
        run,
      };
    }
    const properties = propertiesOf(resource, streamSourceProperties);
    checkFilters(properties);
    const functionArn = arnOf(properties.FunctionName);
    const run = (opened: Positions) =>
      startStreamSource(name, functionArn, properties, { ...shared, positions: opened });
    return {
      name,
      functionArn,
      enabled: properties.Enabled,
      requiredPermissions: streamSourcePermissions(properties),
      run,
    };
  }

  function arnOf(functionName: string): string {
    return functionName.startsWith('arn:')
      ? functionName
      : `arn:aws:lambda:${region}:${accountId}:function:${functionName}`;
  }

  /** A mapping uses the role of its function; Lambda checks its permissions when the mapping is created. */
  function checkRole({ name, functionArn, requiredPermissions: requiredPermissions }: Mapping): void {
    const documents = options.policiesOf(functionArn);
    const denied = requiredPermissions.find((one) => evaluate(documents, one) !== 'allow');
    if (!denied) return;
    throw new Error(`${name}: the role of ${functionArn} does not allow ${denied.action} on ${denied.resource}`);
  }

  return {
    types: ['AWS::Lambda::EventSourceMapping'],
    watch: writes.watch,

    create(resource) {
      mappings.push(mappingOf(resource));
      const id = physicalId(resource.logicalId, 32);
      const arn = `arn:aws:lambda:${region}:${accountId}:event-source-mapping:${id}`;
      return { ref: id, attributes: { Id: id, EventSourceMappingArn: arn } };
    },

    start() {
      const opened = (positions = openPositions(options.dataFolder));
      mappings.forEach(checkRole);
      running = mappings.filter(({ enabled }) => enabled).map((mapping) => mapping.run(opened));
      return Promise.resolve();
    },

    async stop() {
      stopping.abort();
      let timer: NodeJS.Timeout | undefined;
      const timeout = new Promise<void>((resolve) => (timer = setTimeout(resolve, SHUTDOWN_TIMEOUT_MS)));
      await Promise.race([Promise.all(running), timeout]);
      clearTimeout(timer);
      positions?.flush();
    },
  };
}

interface Filtered {
  readonly FilterCriteria: { readonly Filters: readonly { readonly Pattern: string }[] };
}

/** Throws for an invalid pattern, before anything runs. */
function checkFilters({ FilterCriteria }: Filtered): void {
  for (const { Pattern } of FilterCriteria.Filters) parseEventPattern(Pattern);
}
