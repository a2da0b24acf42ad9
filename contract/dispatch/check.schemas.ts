import * as z from 'zod/mini';
import * as domain from '../../domain/job-check';
import { candidate } from './dispatch';
import { success } from './page';

export const { finding } = domain;

export const checkedJobReply = z.object({
  success,
  feasible: z.boolean(),
  ...z.omit(domain.checkReport, { findings: true }).shape,
  findings: z.array(finding),
  candidates: z.array(candidate),
});
