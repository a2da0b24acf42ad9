import * as z from 'zod/mini';
import { createdJob } from '../jobs/jobs.schemas';
import { candidate } from '../../domain/dispatch/candidate';
import { checkReport, finding } from '../../domain/dispatch/job-check';
import { success } from '../terms/page.schemas';

export const dispatchedJobReply = z.object({
  success,
  job: createdJob,
  distance: z.number(),
  etaSeconds: z.int(),
  candidates: z.array(candidate),
});

export const checkedJobReply = z.object({
  success,
  feasible: z.boolean(),
  ...z.pick(checkReport, { length: true, durationSeconds: true, charge: true }).shape,
  findings: z.array(finding),
  candidates: z.array(candidate),
});
