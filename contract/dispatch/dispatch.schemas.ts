import * as z from 'zod/mini';
import * as domain from '../../domain/dispatch';
import { createdJob } from './jobs';
import { success } from './page';

export const { candidate } = domain;

export const dispatchedJobReply = z.object({
  success,
  job: createdJob,
  distance: z.number(),
  etaSeconds: z.int(),
  candidates: z.array(candidate),
});
