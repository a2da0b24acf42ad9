import * as z from 'zod/mini';
import * as domain from '../../domain/dispatch/job-check';
import { candidate } from './dispatch.schemas';
import { success } from '../terms/page.schemas';

export const { finding } = domain;

export const checkedJobReply = z.object({
  success,
  feasible: z.boolean(),
  ...z.pick(domain.checkReport, { length: true, durationSeconds: true, charge: true }).shape,
  findings: z.array(finding),
  candidates: z.array(candidate),
});
