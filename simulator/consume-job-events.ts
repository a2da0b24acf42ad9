import type { EventBridgeEvent } from 'aws-lambda';
import { outboundEvents } from '../contract/platform';
import { changePriority, endMission, noteMission } from './missions';
import { failures } from './plan';
import { publishReports } from './publish-reports';

const isOver = (status: string) => status === 'COMPLETED' || status === 'FAILED' || status === 'CANCELLED';

/** A simulated drone flies its missions and nothing else, and says so. */
async function refuseControl(detail: unknown): Promise<void> {
  const { requestId, deviceId } = outboundEvents['control.requested'].parse(detail);
  const at = new Date().toISOString();
  const refused = { requestId, deviceId, outcome: 'REFUSED', reason: 'NOT_SUPPORTED', at };
  await publishReports([{ type: 'control.outcome.reported', detail: refused }]);
}

/** What the platform is told of jobs → missions of the simulated fleet; commands of viewers are answered. */
export async function handler(event: EventBridgeEvent<string, unknown>): Promise<void> {
  if (event['detail-type'] === 'control.requested') return refuseControl(event.detail);
  const { jobId, status, ...job } = outboundEvents['job.created'].parse(event.detail);
  if (event['detail-type'] === 'job.deleted' || isOver(status)) {
    await endMission(jobId, new Date());
    return;
  }
  const { deviceGroupId, deviceId, priority, scheduledAt, metadata } = job;
  if (event['detail-type'] === 'job.updated') {
    await changePriority(jobId, priority);
    return;
  }
  const failure = failures.find((one) => one === metadata?.['simulate']);
  await noteMission({ jobId, deviceGroupId, deviceId, priority, scheduledAt, failure });
}
