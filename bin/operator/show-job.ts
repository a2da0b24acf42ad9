import { readChannelEvents } from '../../data/events/read-events';
import { readJob } from '../../data/jobs/jobs';
import { organisationId } from '../../domain/values/id';
import { PLATFORM } from '../../domain/values/service';
import { Failure } from '../command-line/errors';
import type { Report } from '../program/run-program';
import type { Session } from '../deployment/session';
import { type Flags, readId } from './command-line';
import { counted, description } from './description';
import { readFollowers } from './followers';

/** Shows a job: its state, how it got there, who made and changed it, and who follows it. */
export async function showJob(flags: Flags, session: Session): Promise<Report> {
  const { id: jobId, organisation } = readId(flags, 'job');
  await session.connect();
  session.progress('reading the job');
  const channel = { kind: 'job', id: jobId } as const;
  const [stored, events, followers] = await Promise.all([
    readJob(jobId),
    readChannelEvents(organisation, channel, new Date()),
    readFollowers(organisation, channel),
  ]);
  const timeline = events.flatMap(({ message }) => {
    if (message.type !== 'job.status') return [];
    const { timestamp, previousState, jobState, reason, reasonText, deleted, sequence: version } = message;
    return [{ at: timestamp, version, from: previousState, to: deleted ? 'deleted' : jobState, reason, reasonText }];
  });
  if (!stored && timeline.length === 0) throw new Failure('there is no job of that id');
  const { job, createdBy, changedBy } = stored ?? {};
  const lastChangedBy = job && (changedBy === PLATFORM ? 'the platform' : 'a client');
  const next = `npm run trace -- ${jobId}`;
  const facts = {
    jobId,
    organisationId: organisationId(organisation),
    status: job?.status ?? 'deleted',
    version: job?.version,
    name: job?.name,
    deviceGroupId: job?.deviceGroupId,
    deviceId: job?.deviceId,
    createdAt: job?.createdAt,
    createdBy,
    updatedAt: job?.updatedAt,
    lastChangedBy,
    reason: job?.reason,
    reasonText: job?.reasonText,
    commandId: job?.commandId,
  };
  return {
    json: { ...facts, timeline, followers, next },
    text: [
      description(
        [
          ...Object.entries({ ...facts, createdBy: job && (createdBy ?? 'unknown') }),
          ['sockets', counted(followers.sockets)],
          ['MQTT', counted(followers.mqttSubscriptions)],
        ],
        [
          'Timeline',
          timeline.map(({ at, version, from, to, reason = '', reasonText = '' }) => [
            at,
            `version ${version}`,
            from === undefined ? to : `${from} → ${to}`,
            `${reason} ${reasonText}`.trim(),
          ]),
        ],
      ),
      `Its way through the functions:\n  ${next}`,
    ].join('\n\n'),
  };
}
