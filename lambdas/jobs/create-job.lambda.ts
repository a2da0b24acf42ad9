import * as endpoints from '../../contract/jobs/jobs.endpoints';
import { expectDeviceGroup } from '../../data/fleet/registered-parts';
import { insertJob } from '../../data/jobs/jobs';
import { keepFlownMission } from '../../data/missions/missions';
import { newId } from '../../data/store/new-id';
import { newJob, withMission } from '../../domain/jobs/job-request';
import { idempotencyKey } from '../serve/idempotency-key';
import { jsonBody } from '../serve/json-body';
import { serve } from '../serve/serve';

export const handler = serve(
  'POST /v3/jobs/create',
  endpoints.createJob,
  async ({ caller, body, now, firstAnswer }) => {
    const created = newJob(body, newId('job', caller.organisation, now), now);
    const [mission] = await Promise.all([
      keepFlownMission(caller.organisation, body, now),
      expectDeviceGroup(caller.organisation, body.deviceGroupId, body.deviceId),
    ]);
    const job = withMission(created, mission);
    const reply = { success: true as const, job };
    await insertJob(caller, job, firstAnswer(reply));
    return reply;
  },
  jsonBody,
  idempotencyKey,
);
