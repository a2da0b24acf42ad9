/**
 * EventBridge Scheduler on this machine: user guide and API reference. One-time and rate schedules in UTC with functions
 * as targets; they are due at their time, not within the minute after it that AWS allows itself.
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import * as z from 'zod';
import { openDataFile } from '../data-file';
import type { Iam } from '../iam';
import type { Lambda } from '../lambda';
import { evaluate } from '../policy';
import { propertiesOf } from '../properties';
import { noQuotas, type Quotas } from '../quotas';
import type { AwsApi, Created, Resource, Service } from '../service';
import type { Sqs } from '../sqs';
import { createSchedulerApi } from './api';
import { keptSchedule, schedule, type KeptSchedule } from './schedule';
import { createTimers } from './timers';

export interface SchedulerOptions {
  readonly region: string;
  readonly accountId: string;
  /** Where schedules that were made through the API are kept; those that are overdue at start are carried out then. */
  readonly dataFolder: string;
  readonly lambda: Pick<Lambda, 'invoke' | 'deadLetterQueueOf'>;
  /** Takes what a function with a dead-letter queue has failed at. */
  readonly sqs: Pick<Sqs, 'send'>;
  readonly iam: Pick<Iam, 'policiesOf' | 'trusts'>;
  /** Default: none. */
  readonly quotas?: Pick<Quotas, 'admits'>;
  /** Takes a line for each call that fails; no line holds an input. */
  log(line: string): void;
  /** Waits before the second and the third attempt of a function; default: those of AWS. */
  readonly retryDelaysMs?: readonly number[];
}

const groupProperties = z.object({ Name: z.string().optional() });

/** Scheduler for the groups and schedules of one template, and for those that its functions make. */
export function createScheduler(options: SchedulerOptions): Service & AwsApi {
  const { region, accountId, lambda, sqs, iam, log, quotas = noQuotas } = options;
  const file = openDataFile(join(options.dataFolder, 'schedules.json'), z.array(keptSchedule), []);
  /** Made through the API; those of the template are made anew at each start. */
  let kept: ReadonlyMap<string, KeptSchedule> = new Map();
  const ofTemplate = new Map<string, KeptSchedule>();
  const groups = new Set(['default']);
  const arnOf = (kind: string, path: string) => `arn:aws:scheduler:${region}:${accountId}:${kind}/${path}`;
  /** Written before it holds: what could not be kept is not acknowledged, and is not carried out either. */
  const keep = (change: (next: Map<string, KeptSchedule>) => void) => {
    const next = new Map(kept);
    change(next);
    file.write([...next.values()]);
    kept = next;
  };

  const timers = createTimers({
    lambda,
    log,
    ...(options.retryDelaysMs && { retryDelaysMs: options.retryDelaysMs }),
    refusal: ({ Target: { Arn, RoleArn } }) => {
      if (!isTrustedBy(RoleArn)) return `${RoleArn} can't be assumed by Scheduler`;
      const allowed = evaluate(iam.policiesOf(RoleArn), { action: 'lambda:InvokeFunction', resource: Arn }) === 'allow';
      return allowed ? undefined : `${RoleArn} does not allow lambda:InvokeFunction on ${Arn}`;
    },
    eventOf: (one) => (one.Target.Input === undefined ? defaultEvent(one) : (JSON.parse(one.Target.Input) as unknown)),
    gaveUp: (functionArn, event) => {
      const queue = lambda.deadLetterQueueOf(functionArn);
      if (queue !== undefined) sqs.send(queue, JSON.stringify(event));
    },
    completed: (one) => {
      // It may have been replaced or deleted meanwhile.
      if (kept.get(keyOf(one)) !== one) return;
      keep((next) => {
        if (one.ActionAfterCompletion === 'DELETE') next.delete(keyOf(one));
        else next.set(keyOf(one), { ...one, completed: true });
      });
    },
  });

  function isTrustedBy(roleArn: string): boolean {
    try {
      return iam.trusts(roleArn, 'scheduler.amazonaws.com');
    } catch {
      return false;
    }
  }

  /** What a function gets from a schedule without an input (user guide, "Managing targets"). */
  function defaultEvent({ GroupName, Name }: KeptSchedule): object {
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
    ofTemplate.set(keyOf(one), { ...one, CreationDate: now, LastModificationDate: now, completed: false });
    return { ref: one.Name, attributes: { Arn: arnOf('schedule', keyOf(one)) } };
  }

  return {
    ...createSchedulerApi({
      all: () => [...ofTemplate.values(), ...kept.values()],
      find: (groupName, name) => kept.get(`${groupName}/${name}`) ?? ofTemplate.get(`${groupName}/${name}`),
      put: (one) => {
        keep((next) => next.set(keyOf(one), one));
        timers.set(keyOf(one), one, one.CreationDate * 1000);
      },
      remove: (one) => {
        if (kept.has(keyOf(one))) keep((next) => next.delete(keyOf(one)));
        timers.clear(keyOf(one));
        ofTemplate.delete(keyOf(one));
      },
      hasGroup: (name) => groups.has(name),
      isTrustedBy,
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
      kept = new Map(file.read().map((one) => [keyOf(one), one]));
      for (const one of ofTemplate.values()) timers.set(keyOf(one), one, one.CreationDate * 1000);
      for (const one of kept.values()) timers.set(keyOf(one), one);
      return Promise.resolve();
    },

    stop() {
      timers.end();
      return Promise.resolve();
    },
  };
}

function keyOf({ GroupName, Name }: { readonly GroupName: string; readonly Name: string }): string {
  return `${GroupName}/${Name}`;
}
