import type { EventBridgeEvent } from 'aws-lambda';
import { isFinal } from '../contract/job-lifecycle';
import { outboundEvents, type OutboundEventType } from '../contract/platform';
import { checkMission } from './check-mission';
import { listDevices } from './inventory';
import { changePriority, claimCommand, endMission, insertMission, releaseCommand } from './missions';
import { planOf } from './mission-plan';
import { publishReports } from './publish-reports';
import { setting } from './setting';

/** Refuses a command of a viewer, once: simulated drones support none. */
async function refuseControl(detail: unknown): Promise<void> {
  const { requestId, deviceId } = outboundEvents['control.requested'].parse(detail);
  const now = new Date();
  if (!(await claimCommand(requestId, now))) return;
  const at = now.toISOString();
  const refused = { requestId, deviceId, outcome: 'REFUSED', reason: 'NOT_SUPPORTED', at } as const;
  try {
    await publishReports([{ type: 'control.outcome.reported', detail: refused }]);
  } catch (error) {
    await releaseCommand(requestId);
    throw error;
  }
}

/** Answers whether a job could be flown. */
async function answerCheck(detail: unknown): Promise<void> {
  const checked = checkMission(detail, await listDevices(), setting('SEED'));
  await publishReports([{ type: 'mission.check.reported', detail: checked }]);
}

/** Turns the service's job events into missions of the simulated fleet, and answers viewers' commands and checks of jobs. */
export async function handler(event: EventBridgeEvent<OutboundEventType, unknown>): Promise<void> {
  if (event['detail-type'] === 'control.requested') return refuseControl(event.detail);
  if (event['detail-type'] === 'mission.check.requested') return answerCheck(event.detail);
  const { jobId, status, ...job } = outboundEvents['job.created'].parse(event.detail);
  if (event['detail-type'] === 'job.deleted' || isFinal(status)) {
    await endMission(jobId, new Date());
    return;
  }
  const { deviceGroupId, deviceId, priority, version, scheduledAt } = job;
  const mission = { jobId, deviceGroupId, deviceId, priority, version, scheduledAt, plan: planOf(job) };
  // A change may arrive before the job itself. One that is in flight is not new, whoever flies it.
  const isNew = status !== 'IN_PROGRESS' && (await insertMission(mission));
  if (!isNew) await changePriority(jobId, priority, version);
}
