import * as endpoints from '../../../contract/endpoints/commands';
import { listJobCommands } from '../../../data/commands/commands';
import { findJob } from '../../../data/jobs/jobs';
import { serve } from '../../serve/serve';

export const handler = serve(
  'GET /v3/jobs/{jobId}/commands',
  endpoints.listJobCommands,
  async ({ caller, path: { jobId } }) => {
    await findJob(caller.organisation, jobId);
    const commands = await listJobCommands(jobId);
    return { success: true, commands, count: commands.length };
  },
);
