import { COMMANDS_OF_DEVICE_PER_MINUTE } from '../../contract/terms/rates';
import { keepAnswer, type FirstAnswer } from '../../data/store/first-answers';
import { insertCommand, type Head } from '../../data/commands/command-head';
import { readCommand } from '../../data/commands/commands';
import { readFlownJobs, type FlownJob } from '../../data/jobs/busy-devices';
import { newId } from '../../data/store/new-id';
import type { Command } from '../../domain/commands/command';
import { isEnded } from '../../domain/commands/command-lifecycle';
import { newCommand, type CommandRecord, type Requester } from '../../domain/commands/command-record';
import { isJoined, stopToJoin } from '../../domain/commands/joined-stop';
import type { Device } from '../../domain/fleet/device';
import type { Organisation } from '../../domain/values/id';
import type { Job } from '../../domain/jobs/job';
import { isFinal, isReported } from '../../domain/jobs/job-lifecycle';
import { countIn } from '../../domain/access/rate-window';
import { isStop, passesLimits } from '../../domain/commands/stops';
import { Refusal } from '../../domain/values/refusal';
import { expectParameters, commandedJob, whyNotCommanded, type Circumstances } from '../../domain/commands/steering';
import { decideByHead } from './decide-by-head';

/** A command that somebody asks for. */
export interface RequestedCommand {
  readonly organisation: Organisation;
  readonly device: Device;
  readonly command: Command;
  readonly timeoutSeconds?: number | undefined;
  /** The job that the request names. */
  readonly job?: Job | undefined;
  readonly requester: Requester;
  /** Of a viewer's command. */
  readonly shareCode?: string;
  /** Default: a new one. */
  readonly commandId?: string;
  /** When it was asked for, ISO 8601. */
  readonly now: string;
  readonly firstAnswer?: (command: CommandRecord) => FirstAnswer | undefined;
}

/**
 * Stores a command if its device may be told it now; the stream of the table publishes it
 * (`lambdas/platform/publish-platform-events.lambda.ts`). A stop that is under way is not stored again
 * (`domain/commands/command-record.ts`).
 * @returns the stored command, or the stop that is under way
 * @throws Refusal `cannot_command`, `held_by`, `invalid_request`; `too_many_requests` when the device has had its
 *   commands of this minute, or others keep commanding it; AlreadyAnswered
 */
export async function acceptCommand(requested: RequestedCommand): Promise<CommandRecord> {
  const { organisation, device, command, timeoutSeconds, job, requester, shareCode, now, firstAnswer } = requested;
  const { deviceId, deviceGroupId } = device;
  expectParameters(command, device.capabilities);
  const commandId = requested.commandId ?? newId('command', organisation, now);
  let flownJobs: Promise<readonly FlownJob[]> | undefined;
  return decideByHead({ deviceId, asking: requester, now, isStop: passesLimits(command.name) }, async (head, lease) => {
    const ending = head.ending === undefined ? undefined : await openName(deviceId, head.ending);
    const circumstances = { device, job, ending, requester, lease };
    const flown = await expectCommanded(command.name, circumstances, () => (flownJobs ??= readFlown(requested)));
    const commanded = {
      commandId,
      deviceId,
      deviceGroupId,
      jobId: commandedJob({ device, job: flown }),
      sequence: head.sequence + 1,
    };
    const accepted = newCommand(command, timeoutSeconds, commanded, requester, now);
    const joined = await joinedStop(accepted, head);
    if (joined) return keptAnswer(joined, firstAnswer);
    const calls = passesLimits(command.name) ? undefined : countCommand(head.counted, now);
    const storedWith = { counted: calls, shareCode, firstAnswer: firstAnswer?.(accepted) };
    return (await insertCommand(accepted, head, storedWith)) ? accepted : undefined;
  });
}

/**
 * Expects that a device may be told something now. Only for a stop that would be refused it is read what the device may
 * be flying.
 * @returns the job that the command belongs to: the one of the request, or the only one that the device may be flying
 * @throws Refusal `cannot_command`, `held_by`
 */
async function expectCommanded(
  name: string,
  circumstances: Omit<Circumstances, 'mayHaveTakenOff'>,
  readFlown: () => Promise<readonly FlownJob[]>,
): Promise<Circumstances['job']> {
  const { job } = circumstances;
  const refusal = whyNotCommanded(name, { ...circumstances, mayHaveTakenOff: false });
  if (!refusal) return job;
  if (refusal.code !== 'cannot_command' || !isStop(name)) throw refusal;
  const jobs = await readFlown();
  const remaining = whyNotCommanded(name, { ...circumstances, mayHaveTakenOff: jobs.length > 0 });
  if (remaining) throw remaining;
  return job ?? (jobs.length === 1 ? jobs[0] : undefined);
}

/**
 * The jobs that a device may be flying although it has not reported so: the one that the request names, if the platform
 * has taken it, or those in flight. One that waits keeps a drone on the ground: whoever does not want it flown cancels
 * it.
 */
const readFlown = async ({ organisation, device: { deviceId }, job }: RequestedCommand): Promise<readonly FlownJob[]> =>
  job?.deviceId === deviceId && isReported(job.status) && !isFinal(job.status)
    ? [{ ...job, deviceId }]
    : readFlownJobs(organisation, deviceId);

/** The stop under way that is the same as the requested one; undefined when there is none. */
async function joinedStop(requested: CommandRecord, head: Head): Promise<CommandRecord | undefined> {
  const commandId = stopToJoin(head, requested);
  if (commandId === undefined) return undefined;
  const found = await readCommand({ deviceId: requested.deviceId, commandId });
  return found && isJoined(requested, found.command) ? found.command : undefined;
}

/** Keeps a command as the answer to a request that made none of its own, if the request has a key. */
async function keptAnswer(
  command: CommandRecord,
  firstAnswer: RequestedCommand['firstAnswer'],
): Promise<CommandRecord> {
  const answer = firstAnswer?.(command);
  if (answer) await keepAnswer(answer);
  return command;
}

/** The commands of the device in this minute, with one more. @throws Refusal `too_many_requests` */
function countCommand(counted: Head['counted'], now: string): Head['counted'] {
  const more = countIn(counted, COMMANDS_OF_DEVICE_PER_MINUTE, Date.parse(now) / 1000);
  if (!more) throw new Refusal('too_many_requests');
  return more;
}

/** The name of a command without an outcome; undefined when it has one. */
async function openName(deviceId: string, commandId: string): Promise<string | undefined> {
  const found = await readCommand({ deviceId, commandId });
  return found && !isEnded(found.command.status) ? found.command.name : undefined;
}
