import { COMMANDS_OF_DEVICE_PER_MINUTE } from '../../terms/rates';
import { MOST_TOLD } from '../../platform/platform-envelope';
import type { InboundEventType } from '../../../domain/platform/inbound-events';
import type { OutboundEventType } from '../../../domain/platform/outbound-events';
import { successAndFailure } from '../../jobs/lifecycle-sentences';

interface Texts {
  readonly summary: string;
  readonly description: string;
}

const last =
  'The latest event on a group or device counts, by its `at`, or else by `time` of the event, to the second: use `at` in all or in none.';
const failed = 'Open jobs that nobody can fly any more become `FAILED`, with a `reason`.';

/** What the document says of each event, for developers of the drone platform. */
export const platformTexts: Readonly<Record<InboundEventType | OutboundEventType, Texts>> = {
  'job.created': {
    summary: 'A partner has created a job',
    description: 'The detail is the job. Fields that it does not have are left out.',
  },
  'job.updated': {
    summary: 'A job has changed',
    description:
      'The detail is the job after the change. A change that the platform itself reported is not published, so `version` has gaps: each is a report that was applied.',
  },
  'job.cancelled': { summary: 'A job has been cancelled', description: 'It must not be flown.' },
  'job.deleted': {
    summary: 'A job has been deleted',
    description: 'The detail is its last state. A job can be deleted in any status: stop one that is running.',
  },
  'job.snapshot': {
    summary: 'An open job, as asked for',
    description: 'The answer to `jobs.requested`: one for each job whose status is not final.',
  },
  'jobs.answered': {
    summary: 'All open jobs were sent',
    description:
      'Published after the last `job.snapshot`, which may arrive later all the same: `count` says how many there are.',
  },
  'organisation.changed': {
    summary: 'The operator has registered, suspended or resumed an organisation',
    description: 'A suspended one creates no jobs; those that it has stay.',
  },
  'device-group.onboarded': {
    summary: 'The operator has registered a device group with its devices',
    description:
      'With identifiers that this service generated. The platform may rename, move and remove them as its own.',
  },
  'share.created': {
    summary: 'A partner has shared a device by link',
    description:
      'For the `shareType` `STREAM` send the device’s video to the Kinesis video stream whose name is the stream id.',
  },
  'share.ended': {
    summary: 'A share has been revoked or has expired',
    description: 'No viewer watches through it any more.',
  },
  'control.requested': {
    summary: 'A command to a device in flight',
    description: `From a partner, a viewer, or this service. Take it only if its \`sequence\` is above the last one that was taken of the device, else refuse it with \`OUT_OF_ORDER\`; do not begin it after \`startBefore\`, then refuse it with \`TOO_LATE\`. Report \`DELIVERED\` when it has begun, and one outcome when it is achieved or not, with its \`requestId\` in \`control.outcome.reported\`. After \`share.ended\` refuse what came through that share and has not begun with \`SHARE_ENDED\`. At most ${COMMANDS_OF_DEVICE_PER_MINUTE} a minute come for one device, not counting those that keep it from harm.`,
  },
  'mission.check.requested': {
    summary: 'A partner asks whether a job could be flown',
    description:
      'There is no such job, and none need follow. Answer within two seconds with its `requestId` in `mission.check.reported`: the partner waits no longer. It has the fields of `job.created` that decide about the flight.',
  },
  'report.rejected': {
    summary: 'An event of the platform was not applied',
    description: `Or some of its samples. \`reportId\` is the \`id\` that PutEvents returned. Of events that were applied before, or are older than what was applied, the platform is not told; nor of more than ${MOST_TOLD} in a minute.`,
  },
  'job.status.reported': {
    summary: 'The progress of a mission',
    description: `The statuses follow the lifecycle: ${successAndFailure}. A report that skips one waits for it: it is retried after two seconds, then every minute, five times in all.`,
  },
  'device.telemetry.reported': {
    summary: 'Samples of devices',
    description:
      'The detail is one sample, or a list in `telemetry`. A timestamp may be at most a minute ahead of this service’s clock. A sample that is not later than the last one of its device is dropped.',
  },
  'device-group.registered': { summary: 'Create or rename a device group', description: last },
  'device-group.removed': { summary: 'Remove a device group', description: `${last} ${failed}` },
  'device.registered': {
    summary: 'Create or rename a device, or move it to another group',
    description: `${last} ${failed} A flight goes on. \`capabilities\` says what the device can do; without them the platform decides about each command.`,
  },
  'device.removed': { summary: 'Remove a device', description: `${last} ${failed}` },
  'jobs.requested': {
    summary: 'Ask for all open jobs',
    description:
      'For a platform that has lost its state. The answer is a `job.snapshot` for each, and then `jobs.answered`, with the same `requestId`; without `organisationId` of all organisations.',
  },
  'control.outcome.reported': {
    summary: 'What has become of a command',
    description:
      '`DELIVERED` when the device has begun, which may be left out, and then one outcome: `DONE` when it is achieved, for `RETURN_HOME` when the drone stands. Partners and viewers receive it. A repeat is dropped as `repeated`. An outcome after `endBefore` is kept beside the status `TIMED_OUT`.',
  },
  'mission.check.reported': {
    summary: 'Whether a job could be flown',
    description:
      'The answer to `mission.check.requested`. Each finding speaks against the job: its `code` is the `reason` with which the job would fail. Without findings the job could be flown. A late answer changes nothing.',
  },
};
