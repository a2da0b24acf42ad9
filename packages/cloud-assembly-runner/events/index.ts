/**
 * Amazon EventBridge: buses, rules with event patterns, functions and queues as targets. Delivery is at least once, but
 * pending retries and invocations are lost when the stack stops.
 */
import * as z from 'zod';
import type { Faults } from '../faults';
import type { Lambda } from '../lambda';
import { createAsyncInvoker } from '../lambda/async-invoker';
import { propertiesOf } from '../cloudformation/properties';
import { noQuotas, type Quotas } from '../quotas';
import type { AwsApi, Created, Resource, Service } from '../service';
import type { Sqs } from '../sqs';
import { createEventsApi } from './api';
import { readArchive, replayOperations, type Archive } from './archive';
import { createDelivery } from './delivery';
import { putEvents, type BusEvent } from './put-events';
import { readRule, createRuleRegistry, type Rule } from './rules';
import { ruleOperations } from './rule-operations';

export interface EventsOptions {
  readonly region: string;
  readonly accountId: string;
  /** Where rules that were created by calls are kept across restarts. */
  readonly dataFolder: string;
  readonly lambda: Pick<Lambda, 'invoke' | 'permits'> & Partial<Pick<Lambda, 'eventLimitsOf' | 'deadLetterQueueOf'>>;
  readonly sqs: Pick<Sqs, 'send' | 'queue' | 'permits'>;
  /** Default: none. */
  readonly faults?: Pick<Faults, 'retryDelayMs'>;
  /** Default: no quotas. */
  readonly quotas?: Pick<Quotas, 'admits'>;
  /** Writes a line for each discarded event; lines contain no events. */
  log(line: string): void;
}

const busProperties = z.object({ Name: z.string().regex(/^[\w.-]{1,256}$/) });

/** Buses and rules of a template, the default bus, and rules that are created by calls. */
export function createEvents(options: EventsOptions): Service & AwsApi {
  const { region, accountId, lambda, sqs, log: write, quotas = noQuotas } = options;
  const log = (line: string) => write(`events ${line}`);
  const buses = new Set(['default']);
  const archives: Archive[] = [];
  const calls = createAsyncInvoker({ lambda, sqs, faults: options.faults, log });
  const delivery = createDelivery({ lambda, calls, sqs, log });
  const arnOf = (kind: string, path: string) => `arn:aws:events:${region}:${accountId}:${kind}/${path}`;
  const rules = createRuleRegistry(options.dataFolder, (path) => arnOf('rule', path));
  const hasBus = (name: string) => buses.has(name);

  function deliver(rule: Rule, event: BusEvent): void {
    if (!rule.enabled || !rule.matches(event)) return;
    for (const target of rule.targets) delivery.deliver(rule, target, event);
  }

  function createBus(resource: Resource): Created {
    const { Name } = propertiesOf(resource, busProperties);
    buses.add(Name);
    return { ref: Name, attributes: { Arn: arnOf('event-bus', Name), Name } };
  }

  function createRule(resource: Resource): Created {
    const definition = readRule(resource);
    const { EventBusName: busName } = definition;
    if (!hasBus(busName)) throw new Error(`${resource.logicalId}: there is no event bus ${busName}`);
    const { name, arn } = rules.put(definition, true);
    return { ref: busName === 'default' ? name : `${busName}|${name}`, attributes: { Arn: arn } };
  }

  function createArchive(resource: Resource): Created {
    const archive = readArchive(resource);
    if (!buses.has(archive.busName)) throw new Error(`${resource.logicalId}: there is no event bus ${archive.busName}`);
    archives.push(archive);
    return { ref: archive.name, attributes: { Arn: arnOf('archive', archive.name), ArchiveName: archive.name } };
  }

  const creators: Readonly<Record<string, (resource: Resource) => Created>> = {
    'AWS::Events::Archive': createArchive,
    'AWS::Events::EventBus': createBus,
    'AWS::Events::Rule': createRule,
  };

  return {
    ...createEventsApi({
      ...ruleOperations({ rules, accountId, hasBus, ruleArn: (path) => arnOf('rule', path) }),
      PutEvents: putEvents({
        region,
        accountId,
        quotas,
        hasBus,
        busArn: (name) => arnOf('event-bus', name),
        publish(busName, event) {
          for (const rule of rules.of(busName)) deliver(rule, event);
        },
        archive: (busName, event) => archives.filter((one) => one.busName === busName && one.keep(event)).length > 0,
      }),
      ...replayOperations({
        archiveAt: (arn) => archives.find(({ name }) => arnOf('archive', name) === arn),
        busArn: (name) => arnOf('event-bus', name),
        replayArn: (name) => arnOf('replay', name),
        rulesOf: rules.of,
        deliver,
      }),
    }),
    types: Object.keys(creators),
    create(resource) {
      const create = creators[resource.type];
      if (!create) throw new Error(`${resource.type} is not of EventBridge`);
      return create(resource);
    },

    start() {
      for (const { EventBusName, Name } of rules.restore(hasBus)) {
        log(`the rule ${Name} has no effect: there is no event bus ${EventBusName} any more`);
      }
      return Promise.resolve();
    },

    stop() {
      delivery.stop();
      return calls.stop();
    },
  };
}
