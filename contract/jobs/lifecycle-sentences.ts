/** The lifecycle of jobs in sentences of the documents. */
import { isFinal, isFlown, jobStatuses, lifecycle, statusesBefore, pathTo } from '../../domain/jobs/job-lifecycle';

const code = (status: string) => `\`${status}\``;
const numbers = ['none', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'];
const numberOf = (all: readonly unknown[]) => numbers[all.length] ?? String(all.length);

/** Each status with those that may follow it. */
export const allMoves = jobStatuses
  .filter((status) => !isFinal(status))
  .map((status) => `${code(status)} → ${lifecycle[status].next.map(code).join(', ')}`)
  .join('; ');

/** The final statuses, which are the last ones of the lifecycle. */
export const lastAreFinal = `The last ${numberOf(jobStatuses.filter(isFinal))} are final.`;

/** The way of a job that succeeds, and from where one fails. */
export const successAndFailure = `${['PENDING', ...pathTo('COMPLETED')].map(code).join(' → ')}, and ${code('FAILED')} from each of the first ${numberOf(statusesBefore('FAILED'))}`;

/** The statuses of a job that is in the air. */
export const flownStatusesInWords = jobStatuses.filter(isFlown).map(code).join(' or ');
