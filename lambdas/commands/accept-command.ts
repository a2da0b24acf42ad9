import { COMMANDS_OF_DEVICE_PER_MINUTE } from '../../contract/rates';
import type { FirstAnswer } from '../../data/requests/idempotency';
import type { Head } from '../../data/commands/command-head';
import { readCommand } from '../../data/commands/commands';
import { insertCommand } from '../../data/commands/new-commands';
import { findBegunJob } from '../../data/jobs/busy-devices';
import { newId } from '../../data/store/new-id';
import { isSafe, type Command } from '../../domain/command';
import { isEnded } from '../../domain/command-lifecycle';
import { newCommand, type CommandRecord, type Requester } from '../../domain/command-record';
import type { Device } from '../../domain/fleet';
import type { Organisation } from '../../domain/id';
import type { Job } from '../../domain/job';
import { hasBegun } from '../../domain/job-lifecycle';
import { countIn } from '../../domain/rate-window';
import { Refusal } from '../../domain/refusal';
import { expectParameters, jobOf, whyNotCommanded } from '../../domain/steering';
import { heldFrom } from './control';
import { decideByHead } from './decide-by-head';

/** A command that somebody asks for. */
export interface WantedCommand {
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
 * Stores a command if its device may be told it now; the stream of the table publishes it (`lambdas/stream/publish-platform-events.ts`).
 * @throws Refusal `cannot_command`, `held_by`, `invalid_request`; `too_many_requests` when the device has had its commands of this minute, or
 *   others keep commanding it; AlreadyAnswered
 */
export async function acceptCommand(wanted: WantedCommand): Promise<CommandRecord> {
  const { organisation, device, command, timeoutSeconds, job, requester, shareCode, now, firstAnswer } = wanted;
  const { deviceId, deviceGroupId } = device;
  expectParameters(command, device.capabilities);
  const commandId = wanted.commandId ?? newId('command', organisation, now);
  return decideByHead(
    deviceId,
    async (head) => {
      const ending = head.ending === undefined ? undefined : await openName(deviceId, head.ending);
      const held = await heldFrom(head, requester, now);
      const circumstances = { device, job, ending, requester, held };
      const refusal = whyNotCommanded(command.name, { ...circumstances, mayHaveTakenOff: false });
      const flown = refusal && isSafe(command.name) ? await begunJob(wanted) : undefined;
      const stays = flown ? whyNotCommanded(command.name, { ...circumstances, mayHaveTakenOff: true }) : refusal;
      if (stays) throw stays;
      const counted = isSafe(command.name) ? undefined : countCommand(head.counted, now);
      const commanded = {
        commandId,
        deviceId,
        deviceGroupId,
        jobId: jobOf({ device, job: job ?? flown }),
        sequence: head.sequence + 1,
      };
      const accepted = newCommand(command, timeoutSeconds, commanded, requester, now);
      const beside = { counted, shareCode, firstAnswer: firstAnswer?.(accepted) };
      return (await insertCommand(accepted, head, beside)) ? accepted : undefined;
    },
    isSafe(command.name),
  );
}

/** The job that a device may be flying although it has not reported so: the one that the request names, or one that is stored. */
const begunJob = async ({ organisation, device: { deviceId }, job, now }: WantedCommand) =>
  job?.deviceId === deviceId && hasBegun(job.status) ? job : findBegunJob(organisation, deviceId, now);

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
