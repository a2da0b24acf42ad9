/** The way of a change through the functions of the service, from their log lines. */
import * as z from 'zod';

const line = z.looseObject({
  timestamp: z.string(),
  level: z.string(),
  message: z.string(),
  endpoint: z.string().optional(),
  status: z.number().optional(),
  reason: z.string().optional(),
  type: z.string().optional(),
  jobId: z.string().optional(),
  version: z.number().optional(),
  eventId: z.string().optional(),
  requestId: z.string().optional(),
  clientId: z.string().optional(),
  outcome: z.string().optional(),
  error: z
    .looseObject({ name: z.string().optional(), message: z.string().optional(), operation: z.string().optional() })
    .extend({ tables: z.array(z.string()).optional() })
    .optional(),
});

/** A line of a function's log. */
export interface LogLine extends z.output<typeof line> {
  /** The function, or its log group. */
  readonly source: string;
}

/** Parses a line. @returns undefined for what is not one of the service's */
export function readLine(source: string, text: string): LogLine | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    const parsed = line.safeParse(JSON.parse(text));
    return parsed.success ? { ...parsed.data, source } : undefined;
  } catch {
    return undefined;
  }
}

/** The lines in the order of their times, as text, one each. */
export function describeLines(lines: readonly LogLine[]): string[] {
  const width = Math.max(...lines.map(({ source }) => source.length));
  return inOrder(lines).map((each) => [each.timestamp, each.source.padEnd(width), ...partsOf(each)].join('  '));
}

/** The lines in the order of their times. */
export const inOrder = (lines: readonly LogLine[]) =>
  lines.toSorted((one, other) => one.timestamp.localeCompare(other.timestamp));

function partsOf({ level, message, version, error, ...more }: LogLine): string[] {
  const { endpoint, status, reason, type, outcome, clientId, requestId, eventId } = more;
  const parts: (string | undefined | false)[] = [
    level !== 'INFO' && level,
    message,
    endpoint && `${endpoint} ${status ?? ''}`.trim(),
    type,
    outcome,
    reason,
    version !== undefined && `version ${version}`,
    clientId && `client ${clientId}`,
    requestId && `request ${requestId}`,
    eventId && `event ${eventId}`,
    error && [error.name, error.message, error.operation, ...(error.tables ?? [])].filter(Boolean).join(' '),
  ];
  return parts.filter((part) => typeof part === 'string');
}

/** What a line says of the way of a change. */
const isAccepted = ({ message, endpoint = '', status = 0 }: LogLine): boolean =>
  message === 'request' && !endpoint.startsWith('GET ') && status < 300;
const isReport = ({ message }: LogLine): boolean => message === 'reported';

/**
 * Where the way of a job stopped.
 * @param lines all lines about it
 * @returns a sentence for the operator, with the function to look at
 */
export function whereItStopped(lines: readonly LogLine[]): string {
  const causes = inOrder(lines).filter((each) => isAccepted(each) || isReport(each));
  const last = causes.at(-1);
  if (lines.length === 0) return 'No line names it: it was never here, or its lines have expired.';
  if (!last) return 'No request and no report has changed it in this time.';
  const isOf = (each: LogLine) =>
    last.version === undefined ? each.requestId === last.requestId : each.version === last.version;
  const lineOf = (message: string) => lines.find((each) => each.message === message && isOf(each));
  const published = lineOf('published');
  const failed = inOrder(lines).findLast(({ level, timestamp }) => level === 'ERROR' && timestamp >= last.timestamp);
  const errorOf = failed ? ` The last error is of ${failed.source}: ${failed.message}.` : '';
  if (!published) return `Its last change has not been published to its followers: see StatusFanOut.${errorOf}`;
  if (isReport(last))
    return `Nothing is missing: the platform reported version ${published.version}, and it was published.${errorOf}`;
  if (!lineOf('platform told'))
    return `The drone platform has not been told of its last change: see PublishPlatformEvents.${errorOf}`;
  return `The drone platform was told of version ${published.version}, and has reported nothing since: ask its operators.${errorOf}`;
}
