import type { EventBridgeEvent } from 'aws-lambda';
import { isFinal } from '../contract/job-lifecycle';
import { outboundEvents, type OutboundEventType } from '../contract/platform';
import { changePriority, endMission, insertMission } from './missions';
import { planOf } from './mission-plan';
import { publishReports } from './publish-reports';

/** Refuses a command of a viewer: simulated drones support none. */
async function refuseControl(detail: unknown): Promise<void> {
  const { requestId, deviceId } = outboundEvents['control.requested'].parse(detail);
  const at = new Date().toISOString();
  const refused = { requestId, deviceId, outcome: 'REFUSED', reason: 'NOT_SUPPORTED', at } as const;
  await publishReports([{ type: 'control.outcome.reported', detail: refused }]);
}

/** Turns the service's job events into missions of the simulated fleet, and answers viewers' commands. */
export async function handler(event: EventBridgeEvent<OutboundEventType, unknown>): Promise<void> {
  if (event['detail-type'] === 'control.requested') return refuseControl(event.detail);
  const { jobId, status, ...job } = outboundEvents['job.created'].parse(event.detail);
  if (event['detail-type'] === 'job.deleted' || isFinal(status)) {
    await endMission(jobId, new Date());
    return;
  }
  const { deviceGroupId, deviceId, priority, scheduledAt, metadata } = job;
  if (event['detail-type'] === 'job.updated') {
    await changePriority(jobId, priority);
    return;
  }
  await insertMission({ jobId, deviceGroupId, deviceId, priority, scheduledAt, plan: planOf(metadata) });
}
