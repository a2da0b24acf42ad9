/**
 * Amazon EventBridge: buses, rules with event patterns, functions and queues as targets. Delivery is at least once, but
 * pending retries and invocations are lost when the stack stops.
 */
import * as z from 'zod';
import type { Lambda } from '../lambda';
import { createAsyncInvoker } from '../lambda/async-invoker';
import { propertiesOf } from '../cloudformation/properties';
import { noQuotas, type Quotas } from '../quotas';
import type { AwsApi, Created, Resource, Service } from '../service';
import type { Sqs } from '../sqs';
import { readArchive, type Archive } from './archive';
import { createDelivery } from './delivery';
import { createEventsApi } from './put-events';
import { readRule, type Rule } from './rule';

export interface EventsOptions {
  readonly region: string;
  readonly accountId: string;
  readonly lambda: Pick<Lambda, 'invoke' | 'permits'> & Partial<Pick<Lambda, 'eventLimitsOf' | 'deadLetterQueueOf'>>;
  readonly sqs: Pick<Sqs, 'send' | 'queue' | 'permits'>;
  /** Default: no quotas. */
  readonly quotas?: Pick<Quotas, 'admits'>;
  /** Writes a line for each discarded event; lines contain no events. */
  log(line: string): void;
}

const busProperties = z.object({ Name: z.string().regex(/^[\w.-]{1,256}$/) });

/** Buses and rules of a template, and the default bus. */
export function createEvents(options: EventsOptions): Service & AwsApi {
  const { region, accountId, lambda, sqs, log: write, quotas = noQuotas } = options;
  const log = (line: string) => write(`events ${line}`);
  const buses = new Set(['default']);
  const rules: Rule[] = [];
  const archives: Archive[] = [];
  const calls = createAsyncInvoker({ lambda, sqs, log });
  const delivery = createDelivery({ lambda, calls, sqs, log });
  const arnOf = (kind: string, path: string) => `arn:aws:events:${region}:${accountId}:${kind}/${path}`;

  function createBus(resource: Resource): Created {
    const { Name } = propertiesOf(resource, busProperties);
    buses.add(Name);
    return { ref: Name, attributes: { Arn: arnOf('event-bus', Name), Name } };
  }

  function createRule(resource: Resource): Created {
    const rule = readRule(resource, (path) => arnOf('rule', path));
    if (!buses.has(rule.busName)) throw new Error(`${resource.logicalId}: there is no event bus ${rule.busName}`);
    rules.push(rule);
    return {
      ref: rule.busName === 'default' ? rule.name : `${rule.busName}|${rule.name}`,
      attributes: { Arn: rule.arn },
    };
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
      region,
      accountId,
      quotas,
      hasBus: (name) => buses.has(name),
      busArn: (name) => arnOf('event-bus', name),
      publish(busName, event) {
        for (const rule of rules) {
          if (!rule.enabled || rule.busName !== busName || !rule.matches(event)) continue;
          for (const target of rule.targets) delivery.deliver(rule, target, event);
        }
      },
      isArchived: (busName, event) => archives.some((one) => one.busName === busName && one.matches(event)),
    }),
    types: Object.keys(creators),
    create(resource) {
      const create = creators[resource.type];
      if (!create) throw new Error(`${resource.type} is not of EventBridge`);
      return create(resource);
    },

    stop() {
      delivery.stop();
      return calls.stop();
    },
  };
}
