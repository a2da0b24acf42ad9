import { setTimeout as pause } from 'node:timers/promises';
import type { Caller } from './caller';
import type { OperationName, Operation } from './operations';
import { follow, unfollow, type Connections, followShare } from './channel-operations';
import { sendCommands, steerAsViewer } from './command-operations';
import {
  cancelDispatched,
  dispatchJobs,
  patchUnknownField,
  cancel,
  patch,
  createJob,
  listJobs,
  readJob,
  remove,
} from './job-operations';
import { createShare, listResources, listShares, readOneShare, readResources, revoke } from './share-operations';
import { subscribe, publish, reportStatus, reportTelemetry, stop, watch } from './telemetry-operations';
import type { Publishers } from './telemetry-socket';
import { unknownId, type HistoryRecorder } from './history-recorder';

type Input = Extract<Operation, { name: 'end watched share' }>['input'];

/** A number of viewers is sent about a second after one of them has connected, in ms. */
const COUNTED_AFTER_MS = 1000;

/** Creates a share that partners follow and viewers watch, and revokes it about when its followers are told how many watch. */
async function endWatchedShare(
  recorder: HistoryRecorder,
  connections: Connections,
  caller: Caller,
  { device, viewers, afterMs }: Input,
): Promise<void> {
  const share = await createShare(recorder, caller, { whose: 'own', device, maxViewers: 3 });
  if (!share || !caller.hasScope('share:read')) return;
  await followShare(recorder, connections, caller, share);
  await Promise.all(Array.from({ length: viewers }, () => watch(recorder, caller, share)));
  await pause(COUNTED_AFTER_MS + afterMs);
  await revoke(recorder, caller, share);
}

/** Transport of an operation. */
export type Transport = 'REST' | 'MQTTS' | 'WSS' | 'telemetry' | 'bus';

/** What operations run with. */
export interface OperationContext {
  readonly recorder: HistoryRecorder;
  readonly connections: Connections;
  readonly publishers: Publishers;
}

type Operations = {
  readonly [Name in OperationName]: (
    context: OperationContext,
    caller: Caller,
    input: Extract<Operation, { name: Name }>['input'],
  ) => Promise<unknown>;
};

const operations: Operations = {
  'create job': ({ recorder }, caller, input) => createJob(recorder, caller, input),
  'get job': ({ recorder }, caller, { target }) => readJob(recorder, caller, recorder.jobFor(caller, target)),
  'patch job': ({ recorder }, caller, input) => patch(recorder, caller, input),
  'cancel job': ({ recorder }, caller, { target }) => cancel(recorder, caller, recorder.jobFor(caller, target)),
  'delete job': ({ recorder }, caller, { target }) => remove(recorder, caller, recorder.jobFor(caller, target)),
  'dispatch job': ({ recorder }, _caller, { atOnce }) => dispatchJobs(recorder, atOnce),
  'cancel dispatched job': ({ recorder }, _caller, { pick }) => cancelDispatched(recorder, pick),
  'list jobs': ({ recorder }, caller, input) => listJobs(recorder, caller, input),
  'bad request': ({ recorder }, caller, { target }) =>
    patchUnknownField(recorder, caller, recorder.jobFor(caller, target)),
  'create share': ({ recorder }, caller, input) => createShare(recorder, caller, input),
  'get share': ({ recorder }, caller, { target }) => readOneShare(recorder, caller, recorder.shareFor(caller, target)),
  'list share resources': ({ recorder }, caller, { target }) =>
    readResources(recorder, caller, recorder.shareFor(caller, target)),
  'revoke share': ({ recorder }, caller, { target }) => revoke(recorder, caller, recorder.shareFor(caller, target)),
  'end watched share': ({ recorder, connections }, caller, input) =>
    endWatchedShare(recorder, connections, caller, input),
  'list shares': ({ recorder }, caller, input) => listShares(recorder, caller, input),
  'list resources': ({ recorder }, caller) => listResources(recorder, caller),
  follow: ({ recorder, connections }, caller, input) => follow(recorder, connections, caller, input),
  unfollow: ({ recorder }, caller, input) => unfollow(recorder, caller, input),
  publish: ({ recorder, publishers }, caller, input) => publish(recorder, publishers, caller, input),
  subscribe: ({ recorder }, caller, input) => subscribe(recorder, caller, input),
  unsubscribe: ({ recorder }, caller, { pick }) => stop(recorder, 'partner', caller, pick),
  watch: ({ recorder }, caller, { target }) => watch(recorder, caller, recorder.shareFor(caller, target)),
  'stop watching': ({ recorder }, caller, { pick }) => stop(recorder, 'viewer', caller, pick),
  'report status': ({ recorder }, caller, { target, status, minutesAhead }) => {
    const job = recorder.jobFor(caller, target);
    const jobId = job?.id ?? unknownId('job', caller.organisation);
    return reportStatus(recorder, job, jobId, { status, minutesAhead });
  },
  'send command': ({ recorder }, _caller, input) => sendCommands(recorder, input),
  'steer as viewer': ({ recorder }, _caller, input) => steerAsViewer(recorder, input),
  'report telemetry': ({ recorder, publishers }, { organisation }, { count }) =>
    reportTelemetry(recorder, publishers, organisation.platformDevice, count),
};

const transports: Partial<Record<OperationName, Transport>> = {
  unfollow: 'WSS',
  publish: 'telemetry',
  subscribe: 'telemetry',
  unsubscribe: 'telemetry',
  watch: 'telemetry',
  'stop watching': 'telemetry',
  'steer as viewer': 'telemetry',
  'report status': 'bus',
  'report telemetry': 'bus',
};

export const transportOf = (operation: Operation): Transport =>
  operation.name === 'follow' ? operation.input.over : (transports[operation.name] ?? 'REST');

/** Runs an operation; violations that are found at once are recorded. */
export async function runOperation(context: OperationContext, operation: Operation): Promise<void> {
  const { recorder } = context;
  const { name, by, input } = operation;
  const caller = recorder.callers[by.organisation]?.[by.client];
  if (!caller) throw new Error(`no client ${JSON.stringify(by)}`);
  const run = operations[name] as (context: OperationContext, caller: Caller, input: unknown) => Promise<unknown>;
  await run(context, caller, input).catch((error: unknown) => {
    recorder.addViolation(`${caller.name}, ${name}`, error instanceof Error ? error.message : String(error));
  });
}
