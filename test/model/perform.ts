import type { Caller } from './caller';
import type { ActName, Operation } from './operations';
import { follow, unfollow, type Connections } from './perform-channels';
import { askBadly, cancel, changeJob, createJob, listJobs, readJob, remove } from './perform-jobs';
import { createShare, listResources, listShares, readOne, readResources, revoke } from './perform-shares';
import { listen, publish, reportStatus, reportTelemetry, stop, watch } from './perform-telemetry';
import type { Publishers } from './telemetry-socket';
import { nobodys, type World } from './world';

/** By what way an operation goes to the service. */
export type Transport = 'REST' | 'MQTTS' | 'WSS' | 'telemetry' | 'bus';

/** What operations are done with. */
export interface Means {
  readonly world: World;
  readonly connections: Connections;
  readonly publishers: Publishers;
}

type Acts = {
  readonly [Act in ActName]: (
    means: Means,
    caller: Caller,
    given: Extract<Operation, { act: Act }>['given'],
  ) => Promise<unknown>;
};

const acts: Acts = {
  'create job': ({ world }, caller, given) => createJob(world, caller, given),
  'get job': ({ world }, caller, { target }) => readJob(world, caller, world.jobFor(caller, target)),
  'patch job': ({ world }, caller, given) => changeJob(world, caller, given),
  'cancel job': ({ world }, caller, { target }) => cancel(world, caller, world.jobFor(caller, target)),
  'delete job': ({ world }, caller, { target }) => remove(world, caller, world.jobFor(caller, target)),
  'list jobs': ({ world }, caller, given) => listJobs(world, caller, given),
  'bad request': ({ world }, caller, { target }) => askBadly(world, caller, world.jobFor(caller, target)),
  'create share': ({ world }, caller, given) => createShare(world, caller, given),
  'get share': ({ world }, caller, { target }) => readOne(world, caller, world.shareFor(caller, target)),
  'list what is shared': ({ world }, caller, { target }) =>
    readResources(world, caller, world.shareFor(caller, target)),
  'revoke share': ({ world }, caller, { target }) => revoke(world, caller, world.shareFor(caller, target)),
  'list shares': ({ world }, caller, given) => listShares(world, caller, given),
  'list resources': ({ world }, caller) => listResources(world, caller),
  follow: ({ world, connections }, caller, given) => follow(world, connections, caller, given),
  unfollow: ({ world }, caller, given) => unfollow(world, caller, given),
  publish: ({ world, publishers }, caller, given) => publish(world, publishers, caller, given),
  listen: ({ world }, caller, given) => listen(world, caller, given),
  'stop listening': ({ world }, caller, { pick }) => stop(world, 'partner', caller, pick),
  watch: ({ world }, caller, { target }) => watch(world, caller, world.shareFor(caller, target)),
  'stop watching': ({ world }, caller, { pick }) => stop(world, 'viewer', caller, pick),
  'report status': ({ world }, caller, { target, status }) => {
    const job = world.jobFor(caller, target);
    return reportStatus(world, job, job?.id ?? nobodys('job', caller.organisation), status);
  },
  'report telemetry': ({ world, publishers }, { organisation }, { count }) =>
    reportTelemetry(world, publishers, organisation.reported, count),
};

const transports: Partial<Record<ActName, Transport>> = {
  unfollow: 'WSS',
  publish: 'telemetry',
  listen: 'telemetry',
  'stop listening': 'telemetry',
  watch: 'telemetry',
  'stop watching': 'telemetry',
  'report status': 'bus',
  'report telemetry': 'bus',
};

export const transportOf = (operation: Operation): Transport =>
  operation.act === 'follow' ? operation.given.over : (transports[operation.act] ?? 'REST');

/** Does an operation; what can't be explained at once is noted as a fault. */
export async function perform(means: Means, operation: Operation): Promise<void> {
  const { world } = means;
  const { act, by, given } = operation;
  const caller = world.callers[by.organisation]?.[by.client];
  if (!caller) throw new Error(`nobody is ${JSON.stringify(by)}`);
  const run = acts[act] as (means: Means, caller: Caller, given: unknown) => Promise<unknown>;
  await run(means, caller, given).catch((error: unknown) => {
    world.complain(`${caller.name}, ${act}`, error instanceof Error ? error.message : String(error));
  });
}
