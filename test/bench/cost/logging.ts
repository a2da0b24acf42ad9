import type { Bill, BillLine } from './bill';
import { prices } from './prices';

/** What log lines cost of a million jobs, in dollars: their own, and those of the handshake of their follower. */
export interface Logging {
  readonly ofJobs: number;
  readonly ofHandshakes: number;
}

/** The part of the log lines in the bill of jobs; undefined when there is none. */
export function loggingOf(bills: readonly Bill[]): Logging | undefined {
  const jobs = bills.find(({ scenario }) => scenario.startsWith('a million jobs'));
  if (!jobs) return undefined;
  const logs = jobs.lines.filter(({ service }) => service === prices['logs:bytes']?.service);
  const isHandshake = ({ caller }: BillLine) => caller.includes('Connect');
  const sum = (some: readonly BillLine[]) => some.reduce((dollars, line) => dollars + line.dollars, 0);
  return { ofJobs: sum(logs.filter((line) => !isHandshake(line))), ofHandshakes: sum(logs.filter(isHandshake)) };
}
