/**
 * EventBridge on this machine: buses, rules with patterns, functions and queues as targets. Delivery is at least once, but
 * what waits for a retry when the stack stops is lost.
 */
import * as z from 'zod';
import type { Lambda } from '../lambda';
import { createLaterCalls } from '../lambda/later-calls';
import { propertiesOf } from '../properties';
import { noQuotas, type Quotas } from '../quotas';
import type { AwsApi, Created, Resource, Service } from '../service';
import type { Sqs } from '../sqs';
import { createDelivery } from './delivery';
import { createEventsApi } from './put-events';
import { readRule, type Rule } from './rule';

export interface EventsOptions {
  readonly region: string;
  readonly accountId: string;
  readonly lambda: Pick<Lambda, 'invoke' | 'permits'>;
  readonly sqs: Pick<Sqs, 'send' | 'queue' | 'permits'>;
  /** Default: none. */
  readonly quotas?: Pick<Quotas, 'admits'>;
  /** Takes a line for each event that is given up; no line holds an event. */
  log(line: string): void;
}

const busProperties = z.object({ Name: z.string().regex(/^[\w.-]{1,256}$/) });

/** Last calls of functions may take so long when the service stops. */
const FAREWELL_MS = 2000;

/** EventBridge for the buses and rules of one template, and the default bus. */
export function createEvents(options: EventsOptions): Service & AwsApi {
  const { region, accountId, lambda, sqs, log: write, quotas = noQuotas } = options;
  const log = (line: string) => write(`events ${line}`);
  const buses = new Set(['default']);
  const rules: Rule[] = [];
  const calls = createLaterCalls(lambda, log);
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

  return {
    ...createEventsApi({
      ...{ region, accountId, quotas },
      hasBus: (name) => buses.has(name),
      busArn: (name) => arnOf('event-bus', name),
      publish(busName, event) {
        for (const rule of rules) {
          if (!rule.enabled || rule.busName !== busName || !rule.fits(event)) continue;
          for (const target of rule.targets) delivery.deliver(rule, target, event);
        }
      },
    }),
    types: ['AWS::Events::EventBus', 'AWS::Events::Rule'],
    create: (resource) => (resource.type === 'AWS::Events::EventBus' ? createBus(resource) : createRule(resource)),

    async stop() {
      delivery.end();
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, FAREWELL_MS)));
      await Promise.race([calls.end(), late]);
      clearTimeout(timer);
    },
  };
}
