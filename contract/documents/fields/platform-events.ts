import type { Field, Fields } from '../field';

const changedAt: Field = { description: 'When the change happened.' };
const eventId: Field = { description: 'The same for every repeat of the event: drop repeats by it.' };
const ownerId: Field = { description: 'The organisation that the resource belongs to.' };
const sharedDeviceId: Field = { description: 'The device that is shared.' };
const shareId: Field = { description: 'Identifies the share without its code, which would give access.' };

/** Fields of the events between the service and the drone platform. */
export const platformEventFields: Fields = {
  'ControlOutcomeReportedDetail.at': { description: 'When the outcome was known.' },
  'ControlOutcomeReportedDetail.deviceId': { description: 'The device that the command was for.' },
  'ControlOutcomeReportedDetail.requestId': { description: 'The `requestId` of `control.requested`.' },
  'ControlRequestedDetail.deviceId': { description: 'The device to command.' },
  'ControlRequestedDetail.organisationId': { description: 'The organisation that the device belongs to.' },
  'ControlRequestedDetail.requestId': {
    description: 'Identifies the command, the same for every repeat. Report the outcome with it.',
  },
  'ControlRequestedDetail.requestedAt': { description: 'When the viewer was allowed to send it.' },
  'ControlRequestedDetail.shareId': { description: 'The share that the viewer watches, as in `share.created`.' },
  'DeviceGroupRegisteredDetail.description': { description: 'What the group is, for people.' },
  'DeviceGroupRegisteredDetail.name': { description: 'Name of the group, for people.' },
  'DeviceRegisteredDetail.name': { description: 'Name of the device, for people.' },
  'JobCreatedDetail.at': changedAt,
  'JobCreatedDetail.eventId': eventId,
  'JobCreatedDetail.organisationId': ownerId,
  'JobCreatedDetail.version': {
    description:
      'Grows by one with every change of the job, including those that the platform reported, which are not published: keep the highest.',
  },
  'JobStatusReportedDetail.at': { description: 'When the status was reached.' },
  'PlatformEvent.detail-type': { description: 'Type of the event.' },
  'PlatformEvent.id': { description: 'Identifier of the event, assigned by EventBridge. A publisher does not set it.' },
  'PlatformEvent.source': { description: 'Who has published the event.' },
  'PlatformEvent.time': {
    description: 'When the event happened, to the second; `Time` of PutEvents. A replay keeps it.',
  },
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
