import * as endpoints from '../../../contract/endpoints/jobs';
import { expectDeviceGroup } from '../../../data/fleet/fleet';
import { insertJob } from '../../../data/jobs/jobs';
import { newId } from '../../../data/store/new-id';
import { newJob } from '../../../domain/job';
import { idempotencyKey } from '../../serve/idempotency';
import { jsonBody } from '../../serve/json-body';
import { serve } from '../../serve/serve';

export const handler = serve(
  'POST /v3/jobs/create',
  endpoints.createJob,
  async ({ caller, body, now, firstAnswer }) => {
    const job = newJob(body, newId('job', caller.organisation, now), now);
    await expectDeviceGroup(caller.organisation, body.deviceGroupId, body.deviceId);
    const reply = { success: true as const, job };
    await insertJob(caller, job, firstAnswer(reply));
    return reply;
  },
  jsonBody,
  idempotencyKey,
);
