import { randomUUID } from 'node:crypto';
import { checkJob } from '../../contract/dispatch/dispatch.endpoints';
import { expectDeviceGroup } from '../../data/fleet/registered-parts';
import { findFlownMission } from '../../data/missions/missions';
import { publishPlatformEvent } from '../../data/platform/publish-to-platform';
import { awaitCheckReport } from '../../data/missions/check-reports';
import { jobPlace, type Candidate } from '../../domain/dispatch/candidate';
import { organisationId, type Organisation } from '../../domain/values/id';
import { newJob, withMission } from '../../domain/jobs/job-request';
import { judgeReport, lacksDevice, checkQuestion } from '../../domain/dispatch/job-check';
import { withMissionLine } from '../missions/with-mission-line';
import { jsonBody } from '../serve/json-body';
import { serve } from '../serve/serve';
import { lookAtDevices, type DispatchTarget } from './look-at-devices';

export const handler = serve(
  'POST /v3/jobs/check',
  checkJob,
  async ({ caller: { organisation }, body, now }) => {
    // It stands for the job, of which there is none.
    const requestId = randomUUID();
    const created = newJob(body, requestId, now);
    const [mission] = await Promise.all([
      findFlownMission(organisation, body),
      expectDeviceGroup(organisation, body.deviceGroupId, body.deviceId),
    ]);
    const question = await withMissionLine(checkQuestion(withMission(created, mission)));
    const asked = { requestId, organisationId: organisationId(organisation), at: now, ...question };
    await publishPlatformEvent('mission.check.requested', asked);
    const place = jobPlace(body, mission);
    const [report, candidates] = await Promise.all([
      awaitCheckReport(requestId),
      place && findCandidates(organisation, { ...body, place }, now),
    ]);
    const decided = judgeReport(report, lacksDevice(candidates, body.scheduledAt, now));
    return { success: true as const, ...decided, candidates: candidates ?? [] };
  },
  jsonBody,
);

/**
 * The devices that a job could be flown by, nearest first, as far as to the first free one and those read with it.
 * @param now ISO 8601
 */
async function findCandidates(organisation: Organisation, target: DispatchTarget, now: string): Promise<Candidate[]> {
  const candidates: Candidate[] = [];
  for await (const known of lookAtDevices(organisation, target, now)) {
    candidates.push(...known);
    if (known.some(({ reason }) => reason === undefined)) break;
  }
  return candidates.sort((one, other) => one.distance - other.distance);
}
