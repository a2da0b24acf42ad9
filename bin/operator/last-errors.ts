import { digestShareCode } from '../../data/shares/share-id';
import { kindOf } from '../../domain/values/id';
import { reasonOf } from '../command-line/reason';
import type { Report } from '../command-line/report';
import { readLines } from '../trace/read-lines';
import { describeLines } from '../trace/way';
import type { Flags } from './command-line';

const HOUR_MS = 60 * 60_000;
/** How many are shown. */
const MOST = 10;

/**
 * Adds the last errors about a resource to what is shown of it, from the logs of the functions: those of the last hour.
 * When the logs can't be read, it says why instead.
 */
export async function withLastErrors(report: Report, flags: Flags, now = new Date()): Promise<Report> {
  const given = flags.id ?? '';
  const id = kindOf(given) === 'share' ? digestShareCode(given) : given;
  try {
    const lines = await readLines(flags, id, new Date(now.getTime() - HOUR_MS), now);
    const errors = lines.filter(({ level }) => level === 'ERROR').slice(-MOST);
    const listed = errors.length > 0 ? `:\n${describeLines(errors).join('\n')}` : ' of the last hour: none';
    return { ...report, json: { ...(report.json as object), errors }, text: `${report.text}\n\nErrors${listed}` };
  } catch (error) {
    return { ...report, text: `${report.text}\n\nErrors: the logs can't be read: ${reasonOf(error)}` };
  }
}
