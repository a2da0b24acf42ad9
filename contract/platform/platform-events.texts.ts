import { dropReasons } from '../../domain/platform/drop-reason';
import type { Field, Fields } from '../terms/field';
import { failureCodes } from '../jobs/jobs.texts';

const changedAt: Field = { description: 'When the change happened.' };
const decidedBy: Field = {
  description: 'When it happened: of two changes in one second it decides which is later. Without it `time` does.',
};
const dropTexts = Object.entries(dropReasons)
  .map(([reason, { says }]) => `\`${reason}\`: ${says}`)
  .join(' ');
const eventId: Field = { description: 'The same for every repeat of the event: drop repeats by it.' };
const ownerId: Field = { description: 'The organisation that the resource belongs to.' };
const sharedDeviceId: Field = { description: 'The device that is shared.' };
const shareId: Field = { description: 'Identifies the share without its code, which would give access.' };

/** Fields of the events between the service and the drone platform. */
export const platformEventFields: Fields = {
  'ControlOutcomeReportedDetail.at': { description: 'When it happened.' },
  'ControlOutcomeReportedDetail.deviceId': { description: 'The device that the command was for.' },
  'ControlOutcomeReportedDetail.reason': { description: 'Why it was refused or has failed.' },
  'ControlOutcomeReportedDetail.requestId': { description: 'The `requestId` of `control.requested`.' },
  'ControlRequestedDetail.commandId': { description: 'The same as `requestId`.' },
  'ControlRequestedDetail.deviceId': { description: 'The device to command.' },
  'ControlRequestedDetail.endBefore': { description: 'Without an outcome by then the command is `TIMED_OUT`.' },
  'ControlRequestedDetail.jobId': { description: 'The job that the device flies, if it is known.' },
  'ControlRequestedDetail.organisationId': { description: 'The organisation that the device belongs to.' },
  'ControlRequestedDetail.requestId': {
    description: 'Identifies the command, the same for every repeat. Report the outcome with it.',
  },
  'ControlRequestedDetail.requestedAt': { description: 'When this service accepted it.' },
  'ControlRequestedDetail.sequence': {
    description:
      'Its number among the commands of the device. Refuse it with `OUT_OF_ORDER` if it is not above the last one that was taken.',
    format: 'int64',
  },
  'ControlRequestedDetail.shareId': {
    description: 'Of a viewer’s command: the share that it came through, as in `share.created`.',
  },
  'ControlRequestedDetail.startBefore': {
    description: 'Do not begin it later than this: refuse it with `TOO_LATE`. By the clock of this service.',
  },
  'DeviceGroupRegisteredDetail.at': decidedBy,
  'DeviceGroupRegisteredDetail.description': { description: 'What the group is, for people.' },
  'DeviceGroupRegisteredDetail.name': { description: 'Name of the group, for people.' },
  'DeviceGroupRemovedDetail.at': decidedBy,
  'DeviceRegisteredDetail.at': decidedBy,
  'DeviceRegisteredDetail.capabilities': {
    description:
      'What the device can do, in place of what was registered before. Left out, that stays. The known names of `commands` are in capital letters: one in another spelling is malformed.',
  },
  'DeviceRegisteredDetail.name': { description: 'Name of the device, for people.' },
  'DeviceRemovedDetail.at': decidedBy,
  'JobCreatedDetail.at': changedAt,
  'JobCreatedDetail.eventId': eventId,
  'JobCreatedDetail.organisationId': ownerId,
  'JobCreatedDetail.version': {
    description:
      'Grows by one with every change of the job, including those that the platform reported, which are not published: keep the highest.',
    format: 'int64',
  },
  'DeviceGroupOnboardedDetail.at': changedAt,
  'DeviceGroupOnboardedDetail.description': { description: 'What the group is, for people.' },
  'DeviceGroupOnboardedDetail.deviceGroupId': { description: 'Identifier of the group, which this service generated.' },
  'DeviceGroupOnboardedDetail.devices': { description: 'Its devices.' },
  'DeviceGroupOnboardedDetail.eventId': eventId,
  'DeviceGroupOnboardedDetail.name': { description: 'Name of the group, for people.' },
  'DeviceGroupOnboardedDetail.organisationId': ownerId,
  'JobSnapshotDetail.at': { description: 'When the job was last changed.' },
  'JobSnapshotDetail.eventId': eventId,
  'JobSnapshotDetail.organisationId': ownerId,
  'JobSnapshotDetail.requestId': { description: 'The `requestId` of `jobs.requested`.' },
  'JobSnapshotDetail.version': {
    description: 'Version of the job: an event with a lower one is older.',
    format: 'int64',
  },
  'JobsAnsweredDetail.at': { description: 'When the jobs were read.' },
  'JobsAnsweredDetail.count': { description: 'How many `job.snapshot` there are.' },
  'JobsAnsweredDetail.eventId': eventId,
  'JobsAnsweredDetail.requestId': { description: 'The `requestId` of `jobs.requested`.' },
  'JobsRequestedDetail.organisationId': { description: 'Whose jobs; default: of all organisations.' },
  'JobsRequestedDetail.requestId': { description: 'A text of the platform’s choice, which the answers have too.' },
  'MissionCheckReportedDetail.requestId': { description: 'The `requestId` of `mission.check.requested`.' },
  'MissionCheckRequestedDetail.at': { description: 'When the partner asked.' },
  'MissionCheckRequestedDetail.organisationId': ownerId,
  'MissionCheckRequestedDetail.requestId': { description: 'The same for every repeat. Send it back with the answer.' },
  'OrganisationChangedDetail.at': changedAt,
  'OrganisationChangedDetail.eventId': eventId,
  'OrganisationChangedDetail.name': { description: 'Name of the organisation.' },
  'OrganisationChangedDetail.organisationId': { description: 'The organisation; its tag is in all its identifiers.' },
  'OrganisationChangedDetail.status': { description: '`suspended` while no client of it is active.' },
  eventVersion: { description: 'Version of the events: a higher one may break a reader of this one.' },
  stream: {
    description:
      'Identifier of the device’s video stream, which is also the name of the Kinesis video stream that the platform sends its video to. Left out, nothing changes.',
  },
  'JobStatusReportedDetail.at': {
    description:
      'When the status was reached. Partners see it as `reportedAt`. At most 60 seconds ahead of this service’s clock, and before the job was created.',
  },
  'JobStatusReportedDetail.commandId': {
    description:
      'Identifier of the command that ended the flight, with the reason `ABORTED_BY_COMMAND`. Only of `FAILED`.',
  },
  'JobStatusReportedDetail.deviceId': {
    description: 'The device that flies the job, of its organisation. The first one that is named stays.',
  },
  'JobStatusReportedDetail.progress': {
    description:
      'How far the flight has come by then. During the flight report it in telemetry: the same status again changes nothing.',
  },
  'JobStatusReportedDetail.reason': {
    description: `Why it failed: ${failureCodes}, or a code of yours of the same form; the list is open. Only of \`FAILED\`.`,
  },
  'JobStatusReportedDetail.reasonText': { description: 'The same for people, up to 1024 characters.' },
  'PlatformEvent.detail-type': { description: 'Type of the event.' },
  'PlatformEvent.id': { description: 'Identifier of the event, assigned by EventBridge. A publisher does not set it.' },
  'PlatformEvent.source': { description: 'Who has published the event.' },
  'PlatformEvent.time': {
    description: 'When the event happened, to the second; `Time` of PutEvents. A replay keeps it.',
  },
  'ReportRejectedDetail.at': { description: 'When it was rejected.' },
  'ReportRejectedDetail.details': {
    description: 'What is wrong with which field: `path` as in `telemetry.3.timestamp`; empty if the reason says all.',
  },
  'ReportRejectedDetail.deviceGroupId': { description: 'The group that the event names.' },
  'ReportRejectedDetail.deviceId': { description: 'The device that the event names.' },
  'ReportRejectedDetail.eventId': eventId,
  'ReportRejectedDetail.jobId': { description: 'The job that the event names.' },
  'ReportRejectedDetail.organisationId': {
    description: 'The organisation of what the event names, if it can be told.',
  },
  'ReportRejectedDetail.reason': { description: dropTexts, known: Object.keys(dropReasons) },
  'ReportRejectedDetail.reportId': { description: 'The `id` of the event, as PutEvents returned it.' },
  'ReportRejectedDetail.reportType': { description: 'The `detail-type` of the event.' },
  'ShareCreatedDetail.at': changedAt,
  'ShareCreatedDetail.deviceId': sharedDeviceId,
  'ShareCreatedDetail.eventId': eventId,
  'ShareCreatedDetail.organisationId': ownerId,
  'ShareCreatedDetail.shareId': shareId,
  'ShareEndedDetail.at': changedAt,
  'ShareEndedDetail.deviceId': sharedDeviceId,
  'ShareEndedDetail.eventId': eventId,
  'ShareEndedDetail.organisationId': ownerId,
  'ShareEndedDetail.reason': { description: '`REVOKED` by the partner, or `EXPIRED`.' },
  'ShareEndedDetail.shareId': shareId,
};
