/**
 * EventBridge Scheduler: user guide and API reference. One-time and rate schedules in UTC with functions and queues as
 * targets. They run at their exact time, where AWS allows itself a minute. A run is over when Lambda or SQS has
 * accepted its event; what Lambda still repeats is lost when the stack stops.
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import * as z from 'zod';
import { noMeter, type Meter } from '../billing/meter';
import { openDataFile } from '../data-folder/atomic-file';
import type { Iam } from '../iam';
import type { Lambda } from '../lambda';
import { createAsyncInvoker } from '../lambda/async-invoker';
import { evaluate } from '../iam/policy';
import { propertiesOf } from '../cloudformation/properties';
import { noQuotas, type Quotas } from '../quotas';
import type { AwsApi, Created, Resource, Service } from '../service';
import type { Sqs } from '../sqs';
import { createSchedulerApi } from './api';
import { storedSchedule, schedule, type StoredSchedule } from './schedule';
import { createTimers } from './timers';

export interface SchedulerOptions {
  readonly region: string;
  readonly accountId: string;
  /** Stores schedules that were created through the API; those that are overdue at start run then. */
  readonly dataFolder: string;
  readonly lambda: Pick<Lambda, 'invoke' | 'eventLimitsOf' | 'deadLetterQueueOf'>;
  /** For targets, and for functions with a dead-letter queue. */
  readonly sqs: Pick<Sqs, 'send'>;
  readonly iam: Pick<Iam, 'policiesOf' | 'trusts'>;
  /** Default: none. */
  readonly quotas?: Pick<Quotas, 'admits'>;
  /** Default: none. */
  readonly meter?: Meter;
  /** Receives a line for each failed call; no line contains an input. */
  log(line: string): void;
}

const groupProperties = z.object({ Name: z.string().optional() });

/** Scheduler for the groups and schedules of one template, and for schedules that its functions create. */
export function createScheduler(options: SchedulerOptions): Service & AwsApi {
  const { region, accountId, lambda, sqs, iam, log, quotas = noQuotas } = options;
  const asyncInvoker = createAsyncInvoker({ lambda, sqs, log: (line) => log(`scheduler ${line}`) });
  const file = openDataFile(join(options.dataFolder, 'schedules.json'), z.array(storedSchedule), []);
  /** Created through the API and stored; those of the template are created anew at each start. */
  let apiSchedules: ReadonlyMap<string, StoredSchedule> = new Map();
  const templateSchedules = new Map<string, StoredSchedule>();
  const groups = new Set(['default']);
  const arnOf = (kind: string, path: string) => `arn:aws:scheduler:${region}:${accountId}:${kind}/${path}`;
  /** Stores the change before it takes effect: a schedule that could not be stored is neither acknowledged nor run. */
  const updateApiSchedules = (change: (next: Map<string, StoredSchedule>) => void) => {
    const next = new Map(apiSchedules);
    change(next);
    file.write([...next.values()]);
    apiSchedules = next;
  };

  const timers = createTimers({
    deliver({ Arn }, event) {
      if (isQueue(Arn)) sqs.send(Arn, JSON.stringify(event));
      else asyncInvoker.invoke(Arn, event);
    },
    log,
    meter: options.meter ?? noMeter,
    denialReason: ({ Target: { Arn, RoleArn } }) => {
      if (!canAssume(RoleArn)) return `Scheduler can't assume ${RoleArn}`;
      const action = isQueue(Arn) ? 'sqs:SendMessage' : 'lambda:InvokeFunction';
      const allowed = evaluate(iam.policiesOf(RoleArn), { action, resource: Arn }) === 'allow';
      return allowed ? undefined : `${RoleArn} does not allow ${action} on ${Arn}`;
    },
    eventOf: (one) => (one.Target.Input === undefined ? defaultEvent(one) : (JSON.parse(one.Target.Input) as unknown)),
    onCompleted: (one) => {
      // It may have been replaced or deleted meanwhile.
      if (apiSchedules.get(scheduleKey(one)) !== one) return;
      updateApiSchedules((next) => {
        if (one.ActionAfterCompletion === 'DELETE') next.delete(scheduleKey(one));
        else next.set(scheduleKey(one), { ...one, onCompleted: true });
      });
    },
  });

  function canAssume(roleArn: string): boolean {
    try {
      return iam.trusts(roleArn, 'scheduler.amazonaws.com');
    } catch {
      return false;
    }
  }

  /** Event of a schedule without an input (user guide, "Managing targets"). */
  function defaultEvent({ GroupName, Name }: StoredSchedule): object {
    return {
      version: '0',
      id: randomUUID(),
      'detail-type': 'Scheduled Event',
      source: 'aws.scheduler',
      account: accountId,
      time: new Date().toISOString().replace(/\.\d+/, ''),
      region,
      resources: [arnOf('schedule', `${GroupName}/${Name}`)],
      detail: '{}',
    };
  }

  function createSchedule(resource: Resource): Created {
    const properties = { Name: resource.logicalId.slice(0, 64), ...resource.properties };
    const one = propertiesOf({ ...resource, properties }, schedule);
    const now = Date.now() / 1000;
    templateSchedules.set(scheduleKey(one), {
      ...one,
      CreationDate: now,
      LastModificationDate: now,
      onCompleted: false,
    });
    return { ref: one.Name, attributes: { Arn: arnOf('schedule', scheduleKey(one)) } };
  }

  return {
    ...createSchedulerApi({
      all: () => [...templateSchedules.values(), ...apiSchedules.values()],
      find: (groupName, name) =>
        apiSchedules.get(`${groupName}/${name}`) ?? templateSchedules.get(`${groupName}/${name}`),
      put: (one) => {
        updateApiSchedules((next) => next.set(scheduleKey(one), one));
        timers.set(scheduleKey(one), one, one.CreationDate * 1000);
      },
      remove: (one) => {
        if (apiSchedules.has(scheduleKey(one))) updateApiSchedules((next) => next.delete(scheduleKey(one)));
        timers.clear(scheduleKey(one));
        templateSchedules.delete(scheduleKey(one));
      },
      hasGroup: (name) => groups.has(name),
      canAssume: canAssume,
      quotas,
      arnOf: (groupName, name) => arnOf('schedule', `${groupName}/${name}`),
    }),
    types: ['AWS::Scheduler::ScheduleGroup', 'AWS::Scheduler::Schedule'],

    create(resource) {
      if (resource.type === 'AWS::Scheduler::Schedule') return createSchedule(resource);
      const { Name = resource.logicalId.slice(0, 64) } = propertiesOf(resource, groupProperties);
      groups.add(Name);
      return { ref: Name, attributes: { Arn: arnOf('schedule-group', Name), State: 'ACTIVE' } };
    },

    start() {
      apiSchedules = new Map(file.read().map((one) => [scheduleKey(one), one]));
      for (const one of templateSchedules.values()) timers.set(scheduleKey(one), one, one.CreationDate * 1000);
      for (const one of apiSchedules.values()) timers.set(scheduleKey(one), one);
      return Promise.resolve();
    },

    stop() {
      timers.end();
      return asyncInvoker.stop();
    },
  };
}

const isQueue = (targetArn: string) => /^arn:[^:]+:sqs:/.test(targetArn);

function scheduleKey({ GroupName, Name }: { readonly GroupName: string; readonly Name: string }): string {
  return `${GroupName}/${Name}`;
}
