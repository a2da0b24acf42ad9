import type { EventBridgeEvent } from 'aws-lambda';
import { toldPlatform } from '../contract/platform';
import { changePriority, endMission, noteMission } from './missions';
import { failures } from './plan';

const isOver = (status: string) => status === 'COMPLETED' || status === 'FAILED' || status === 'CANCELLED';

/** What the platform is told of jobs → missions of the simulated fleet. */
export async function handler(event: EventBridgeEvent<string, unknown>): Promise<void> {
  const { jobId, status, ...job } = toldPlatform['job.created'].parse(event.detail);
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
