import * as z from 'zod/mini';
import { candidate } from '../../domain/dispatch/candidate';
import { createdJob } from '../jobs/jobs.schemas';
import { success } from '../terms/page.schemas';

export const dispatchedJobReply = z.object({
  success,
  job: createdJob,
  distance: z.number(),
  etaSeconds: z.int(),
  candidates: z.array(candidate),
});
