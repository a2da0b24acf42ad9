import { logger } from '../../../lambdas/runtime/logger';
import { about } from '../../../lambdas/runtime/subject';

/** A function that only logs, the line of a request. @param line its fields */
export function handler(line: Readonly<Record<string, unknown>>): Promise<{ statusCode: number; body: string }> {
  about({ jobId: String(line['jobId']) }, () => logger.info('request', line));
  return Promise.resolve({ statusCode: 200, body: '' });
}
