/**
 * Streams of tables and queues → functions: AWS::Lambda::EventSourceMapping on this machine. Behaviour: Lambda developer
 * guide, "Using Lambda with DynamoDB" and "with Amazon SQS". Other sources are not played.
 */
import { setMaxListeners } from 'node:events';
import type { TimedOutItems } from '../dynamodb/timed-out-items';
import { parseEventPattern } from '../event-pattern';
import type { Faults } from '../faults';
import type { Lambda } from '../lambda';
import { physicalId } from '../physical-id';
import { evaluate, type AccessRequest, type PolicyDocument } from '../policy';
import { propertiesOf } from '../properties';
import type { AwsApi, Resource, Service } from '../service';
import type { Sqs } from '../sqs';
import { openPositions, type Positions } from './positions';
import { queueSourceNeeds, queueSourceProperties, startQueueSource } from './queue-source';
import { startStreamSource, streamSourceNeeds, streamSourceProperties } from './stream-source';
import { createWrites } from './writes';

export interface EventSourcesOptions {
  readonly region: string;
  readonly accountId: string;
  /** Address of the DynamoDB engine. */
  readonly engineUrl: string;
  /** Where the positions in the streams are kept. */
  readonly dataFolder: string;
  readonly lambda: Pick<Lambda, 'invoke' | 'timeoutOf' | 'deadLetterQueueOf'>;
  /** Has the queues, and takes what could not be worked on. */
  readonly sqs: Pick<Sqs, 'send' | 'queue'>;
  /** Which deletions DynamoDB made itself; without it, none. */
  readonly timedOut?: Pick<TimedOutItems, 'has'>;
  /** Default: none. */
  readonly faults?: Pick<Faults, 'batch'>;
  /** Policy documents of a function's role. */
  policiesOf(functionArn: string): readonly PolicyDocument[];
  /** Takes a line for each batch that is given up or fails; no line holds an item or a message. */
  log(line: string): void;
}

export interface EventSources extends Service {
  /** The same API of DynamoDB, but streams are read at once when it writes, not when it is their turn. */
  watch(dynamoDb: AwsApi): AwsApi;
}

/** Last calls of functions may take so long when the service stops; what is under way then is done again. */
const FAREWELL_MS = 2000;

interface Mapping {
  readonly name: string;
  readonly functionArn: string;
  readonly enabled: boolean;
  /** What the role of the function must allow. */
  readonly needs: readonly AccessRequest[];
  run(positions: Positions): Promise<void>;
}

/** The mappings of one template. They should start last and stop first of all services: they call the others. */
export function createEventSources(options: EventSourcesOptions): EventSources {
  const { region, accountId } = options;
  const mappings: Mapping[] = [];
  const writes = createWrites();
  const stopping = new AbortController();
  // Every source waits for it, however many there are.
  setMaxListeners(0, stopping.signal);
  const shared = { timedOut: { has: () => false }, ...options, writes, signal: stopping.signal };
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
        needs: queueSourceNeeds(properties.EventSourceArn),
        run,
      };
    }
    const properties = propertiesOf(resource, streamSourceProperties);
    checkFilters(properties);
    const functionArn = arnOf(properties.FunctionName);
    const run = (known: Positions) => startStreamSource(name, functionArn, properties, { ...shared, positions: known });
    return { name, functionArn, enabled: properties.Enabled, needs: streamSourceNeeds(properties), run };
  }

  function arnOf(functionName: string): string {
    return functionName.startsWith('arn:')
      ? functionName
      : `arn:aws:lambda:${region}:${accountId}:function:${functionName}`;
  }

  /** A mapping reads and sends with the role of its function; Lambda checks that when it is created. */
  function checkRole({ name, functionArn, needs }: Mapping): void {
    const documents = options.policiesOf(functionArn);
    const refused = needs.find((one) => evaluate(documents, one) !== 'allow');
    if (!refused) return;
    throw new Error(`${name}: the role of ${functionArn} does not allow ${refused.action} on ${refused.resource}`);
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
      const known = (positions = openPositions(options.dataFolder));
      mappings.forEach(checkRole);
      running = mappings.filter(({ enabled }) => enabled).map((mapping) => mapping.run(known));
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

interface Filtered {
  readonly FilterCriteria: { readonly Filters: readonly { readonly Pattern: string }[] };
}

/** Throws for a pattern that is none, before anything runs. */
function checkFilters({ FilterCriteria }: Filtered): void {
  for (const { Pattern } of FilterCriteria.Filters) parseEventPattern(Pattern);
}
