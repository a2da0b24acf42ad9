import { readCommand } from '../../data/commands/commands';
import { readDevice } from '../../data/fleet/devices';
import { idFrom } from '../../data/store/new-id';
import { organisationOf } from '../../domain/values/id';
import type { Job } from '../../domain/jobs/job';
import { isFlown } from '../../domain/jobs/job-lifecycle';
import { Refusal } from '../../domain/values/refusal';
import { fliesAnother, measuresStandingAfter } from '../../domain/commands/steering';
import { acceptCommand } from './accept-command';

/**
 * Sends the drone of a job home that was deleted in flight: nobody could end the flight by the job any more. Idempotent.
 * @param job as it was @param at when it was deleted, ISO 8601, to the second
 */
export async function recallDrone(job: Job, at: string): Promise<void> {
  const { jobId, status, deviceId = '' } = job;
  const organisation = organisationOf('device', deviceId);
  if (!isFlown(status) || organisation === undefined) return;
  const commandId = idFrom('command', organisation, `recall ${jobId}`, at);
  const [device, sent] = await Promise.all([
    readDevice(organisation, deviceId, true),
    readCommand({ deviceId, commandId }),
  ]);
  if (!device || sent || measuresStandingAfter(device, job.updatedAt) || fliesAnother(device, jobId)) return;
  const now = new Date().toISOString();
  const requester = { origin: 'service' } as const;
  try {
    await acceptCommand({ organisation, device, command: { name: 'RETURN_HOME' }, job, requester, commandId, now });
  } catch (error) {
    // It knows no such command.
    if (!(error instanceof Refusal) || error.code === 'too_many_requests') throw error;
  }
}
