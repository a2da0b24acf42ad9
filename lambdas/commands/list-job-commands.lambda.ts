import * as endpoints from '../../contract/commands/commands.endpoints';
import { readJobCommands, newestOfJob } from '../../data/commands/commands';
import { listGroup } from '../../data/fleet/devices';
import { findJob } from '../../data/jobs/jobs';
import type { CommandRecord } from '../../domain/commands/command-record';
import type { Organisation } from '../../domain/values/id';
import type { Job } from '../../domain/jobs/job';
import { withConcurrency } from '../runtime/concurrency';
import { serve } from '../serve/serve';

export const handler = serve(
  'GET /v3/jobs/{jobId}/commands',
  endpoints.listJobCommands,
  async ({ caller: { organisation }, path: { jobId } }) => {
    const job = await findJob(organisation, jobId);
    const found: CommandRecord[] = [];
    await withConcurrency(await devicesOf(organisation, job), async (deviceId) => {
      found.push(...(await readJobCommands(job, deviceId)));
    });
    const commands = newestOfJob(found);
    return { success: true, commands, count: commands.length };
  },
);

/** The devices that may have flown a job. The device of a job never changes; without one it may be any of its group. */
async function devicesOf(organisation: Organisation, { deviceId, deviceGroupId }: Job): Promise<string[]> {
  if (deviceId !== undefined) return [deviceId];
  const group = await listGroup(organisation, deviceGroupId);
  return group?.devices.map((device) => device.deviceId) ?? [];
}
