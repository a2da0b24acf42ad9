import type { DropReason } from '../../domain/platform/drop-reason';
import type { InboundDetail, InboundEventType } from '../../domain/platform/inbound-events';
import { registerDevice, registerGroup, registerStream, removeFromFleet } from '../../data/fleet/fleet-registry';
import { eventToChangeId } from '../../data/jobs/change-id';
import { reportStatus } from '../../data/jobs/reported-status';
import { saveCheckReport } from '../../data/missions/check-reports';
import { idField, organisationOf, organisationWith, type Kind, type Organisation } from '../../domain/values/id';
import { notIssued } from '../../domain/values/refusal';
import { expectNotAhead } from '../../domain/values/reported-time';
import type { FleetChange } from '../../domain/jobs/stranded-job';
import { acceptReportedSamples } from './accept-reported-samples';
import { answerWithOpenJobs } from '../jobs/answer-with-open-jobs';
import { logger } from '../runtime/logger';
import { failStrandedJobs } from '../jobs/fail-jobs';
import { takeOutcome } from '../commands/take-outcome';
import { EventTooEarly, type Drop, type Occurrence } from './occurrence';

/**
 * Applies an event of one type. Idempotent.
 * @returns why it had no effect, if so
 * @throws Refusal when it can't be applied; other errors are temporary
 */
type Handler<Type extends InboundEventType> = (
  detail: InboundDetail<Type>,
  occurrence: Occurrence,
) => Promise<Drop | undefined>;

const dropped = (reason: DropReason | undefined): Drop | undefined => reason && { reason };

/** The organisation that an identifier belongs to. @throws Refusal `invalid_request` for one that this service did not issue */
function ownerOf(kind: Kind, id: string): Organisation {
  const organisation = organisationOf(kind, id);
  if (!organisation) throw notIssued(idField(kind));
  return organisation;
}

/**
 * When a change of the fleet happened: by the event itself, or by its time, also when that is a little ahead: counted
 * as now, a repeat would have another time.
 * @throws Refusal `invalid_request` for a time that is too far ahead: replayed, such an event would come after all that was true
 */
function timeOf(at: string | undefined, occurrence: Occurrence): Date {
  const [path, time] = at === undefined ? ['time', occurrence.at] : ['at', at];
  expectNotAhead(path, time, occurrence.now);
  return new Date(time);
}

/** What follows a change of the fleet, unless a later one has been applied. */
async function follow(isApplied: boolean, owner: Organisation, change: FleetChange, { id, now }: Occurrence) {
  if (!isApplied) return dropped('late');
  await failStrandedJobs(owner, change, id, now);
  return undefined;
}

/** What becomes of each event of the platform. */
export const platformEventHandlers: { readonly [Type in InboundEventType]: Handler<Type> } = {
  'job.status.reported': async (report, { id, now }) => {
    const { outcome, version } = await reportStatus(report, eventToChangeId(id), now);
    // A standard queue keeps no order: the predecessor may arrive later.
    if (outcome === 'early') throw new EventTooEarly(id);
    if (outcome !== 'moved') return { reason: outcome };
    logger.info('reported', { version });
    return undefined;
  },
  'device.telemetry.reported': ({ telemetry }, occurrence) => {
    // It says whether samples are old: replayed, those of a time to come would keep their device online.
    expectNotAhead('time', occurrence.at, occurrence.now);
    return acceptReportedSamples(telemetry, occurrence);
  },
  'device-group.registered': async ({ at, ...group }, occurrence) => {
    const owner = ownerOf('group', group.deviceGroupId);
    return dropped((await registerGroup(owner, group, timeOf(at, occurrence))) ? undefined : 'late');
  },
  'device-group.removed': async ({ deviceGroupId, at }, occurrence) => {
    const owner = ownerOf('group', deviceGroupId);
    const isApplied = await removeFromFleet(owner, 'group', deviceGroupId, timeOf(at, occurrence));
    return follow(isApplied, owner, { kind: 'group removed', deviceGroupId }, occurrence);
  },
  'device.registered': async ({ at, stream, ...device }, occurrence) => {
    const { deviceId, deviceGroupId } = device;
    const owner = ownerOf('device', deviceId);
    const time = timeOf(at, occurrence);
    if (stream !== undefined && organisationOf('stream', stream) !== owner) throw notIssued('stream');
    const registered = await registerDevice(owner, device, time);
    // The Kinesis video stream that the platform sends video to has the id as its name.
    if (stream !== undefined && registered !== 'late')
      await registerStream(owner, { streamId: stream, deviceId, videoStream: stream }, time);
    if (registered === 'kept') return undefined;
    return follow(registered === 'moved', owner, { kind: 'device moved', deviceId, deviceGroupId }, occurrence);
  },
  'device.removed': async ({ deviceId, at }, occurrence) => {
    const owner = ownerOf('device', deviceId);
    const isApplied = await removeFromFleet(owner, 'device', deviceId, timeOf(at, occurrence));
    return follow(isApplied, owner, { kind: 'device removed', deviceId }, occurrence);
  },
  'jobs.requested': async ({ requestId, organisationId }, { now }) => {
    const organisation = organisationId === undefined ? undefined : organisationWith(organisationId);
    if (organisationId !== undefined && !organisation) throw notIssued('organisationId');
    await answerWithOpenJobs(requestId, organisation, now);
    return undefined;
  },
  'control.outcome.reported': async (detail, { id, now }) => {
    ownerOf('device', detail.deviceId);
    return dropped(await takeOutcome(detail, eventToChangeId(id), now));
  },
  'mission.check.reported': async ({ requestId, ...report }, { now }) => {
    await saveCheckReport(requestId, report, now);
    return undefined;
  },
};
