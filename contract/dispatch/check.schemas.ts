import * as z from 'zod/mini';
import { candidate } from '../../domain/dispatch/candidate';
import { checkReport, finding } from '../../domain/dispatch/job-check';
import { success } from '../terms/page.schemas';

export const checkedJobReply = z.object({
  success,
  feasible: z.boolean(),
  ...z.pick(checkReport, { length: true, durationSeconds: true, charge: true }).shape,
  findings: z.array(finding),
  candidates: z.array(candidate),
});
