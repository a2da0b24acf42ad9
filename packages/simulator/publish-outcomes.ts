import type { InboundEvent } from '../../domain/platform/inbound-events';
import { outcomesOf } from './flown';
import { elapsedOf, flightOf, speedOf, type Fleet, type Flying } from './flying';
import { storeAnswerCount } from './missions';
import { publishReports } from './publish-reports';

/** How much later a drone answers that is asked to be late, in seconds. */
const LATE_S = 40;

/**
 * Publishes the outcomes of a mission's commands that are due by now, then stores their count: at-least-once delivery.
 * @returns whether none is left to be told
 */
export async function publishDueOutcomes(mission: Flying, fleet: Fleet, now: Date): Promise<boolean> {
  const { jobId, deviceId, answered, plan } = mission;
  const { commands: manner } = plan;
  if (mission.commands.length === 0 || manner === 'silent') return true;
  const outcomes = outcomesOf(flightOf(mission, fleet));
  const late = manner === 'late' ? LATE_S * speedOf(mission, fleet) : 0;
  const due = outcomes.filter(({ at }) => at + late <= elapsedOf(mission, fleet, now));
  const reports = due.slice(answered).map(({ requestId, outcome, reason }): InboundEvent => {
    const detail = { requestId, deviceId, outcome, reason, at: now.toISOString() };
    return { type: 'control.outcome.reported', detail };
  });
  await publishReports(manner === 'twice' ? reports.flatMap((report) => [report, report]) : reports);
  if (due.length > answered) await storeAnswerCount(jobId, due.length);
  return due.length === outcomes.length;
}
