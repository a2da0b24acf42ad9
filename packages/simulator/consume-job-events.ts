import type { EventBridgeEvent } from 'aws-lambda';
import { isFinal } from '../../domain/jobs/job-lifecycle';
import { outboundEvents, type OutboundEventType } from '../../domain/platform/outbound-events';
import { checkMission } from './check-mission';
import { listDevices } from './fleet';
import { changePriority, insertMission, withdrawMission } from './missions';
import { planOf } from './mission-plan';
import { insertCommand, insertEndedShare } from './commands';
import { publishReports } from './publish-reports';
import { setting } from './settings';

/** Keeps a command for the next tick, which knows what the device does. */
async function keepCommand(detail: unknown): Promise<void> {
  const { requestId, deviceId, shareId, command, sequence, startBefore, origin, jobId } =
    outboundEvents['control.requested'].parse(detail);
  const recalledFrom = origin === 'service' ? jobId : undefined;
  await insertCommand({ requestId, deviceId, shareId, command, sequence, startBefore, recalledFrom });
}

/** Keeps the end of a share for the ticks that may still find a command of it. */
async function keepEndOfShare(detail: unknown): Promise<void> {
  await insertEndedShare(outboundEvents['share.ended'].parse(detail).shareId, new Date());
}

/** Answers whether a job could be flown. */
async function answerCheck(detail: unknown): Promise<void> {
  const checked = checkMission(detail, await listDevices(), setting('SEED'));
  await publishReports([{ type: 'mission.check.reported', detail: checked }]);
}

/** Turns a job into a mission of the fleet, changes it, or withdraws it. */
async function followJob(type: OutboundEventType, detail: unknown): Promise<void> {
  const { jobId, status, ...job } = outboundEvents['job.created'].parse(detail);
  if (type === 'job.deleted' || isFinal(status)) return withdrawMission(jobId, new Date());
  const { deviceGroupId, deviceId, priority, version, scheduledAt } = job;
  const mission = { jobId, deviceGroupId, deviceId, priority, version, scheduledAt, plan: planOf(job) };
  // A change may arrive before the job itself. One that is in flight is not new, whoever flies it.
  const isNew = status !== 'IN_PROGRESS' && (await insertMission(mission));
  if (!isNew) await changePriority(jobId, priority, version);
}

const consumers: Partial<Record<OutboundEventType, (detail: unknown) => Promise<void>>> = {
  'control.requested': keepCommand,
  'share.ended': keepEndOfShare,
  'mission.check.requested': answerCheck,
};

/** Turns the service's events into missions and commands of the simulated fleet, and answers checks of jobs. */
export async function handler(event: EventBridgeEvent<OutboundEventType, unknown>): Promise<void> {
  const type = event['detail-type'];
  await (consumers[type]?.(event.detail) ?? followJob(type, event.detail));
}
