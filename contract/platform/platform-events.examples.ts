import { EVENT_VERSION } from '../../domain/platform/outbound-events';
import { PLATFORM, SERVICE } from '../../domain/values/service';

/** An event as it is on the bus, with the fields that its publisher sets. */
export interface PlatformEventExample {
  readonly source: string;
  readonly 'detail-type': string;
  readonly detail: object;
}

const jobId = 'job-acme0001-01kb1x5m9v3f8q2r7t6w4y0z1a';
const deviceGroupId = 'group-acme0001-01kb1x4c2d5e6f7g8h9j0k1m2n';
const deviceId = 'device-acme0001-01kb1x4c2d5e6f7g8h9j0k1m2p';
const shareId = '9f86d081884c7d659a2feaa0c55ad015';
const commandId = 'command-acme0001-01kb1x5n2c4d6f8g0h2j4k6m8n';
const checkId = 'd3b07384-d113-4ec5-a5d1-7c9f0e2b6a41';
const organisationId = 'org-acme0001';
const reportId = '0b1f2d3c-4e5f-4a6b-8c7d-9e0f1a2b3c4d';

const job = (version: number, at: string, status: string) => ({
  eventId: `${jobId}/${version}`,
  eventVersion: EVENT_VERSION,
  organisationId,
  at,
  jobId,
  version,
  status,
  name: 'Rim inspection',
  deviceGroupId,
  priority: 5,
  scheduledAt: '2035-01-01T12:00:00.000Z',
  metadata: { site: 'north' },
});
const share = (number: number, at: string) => ({
  eventId: `${shareId}/${number}`,
  eventVersion: EVENT_VERSION,
  organisationId,
  at,
  shareId,
  resourceId: 'stream-acme0001-01kb1x4c2d5e6f7g8h9j0k1m2s',
  deviceId,
  shareType: 'STREAM',
  permissions: ['view'],
  createdAt: '2026-11-27T10:10:00.000Z',
  expiresAt: '2026-11-27T11:10:00.000Z',
});

const published = {
  'job.created': job(1, '2026-11-27T10:00:00.000Z', 'PENDING'),
  // Version 2 is the report that it is queued, which is not published.
  'job.updated': job(3, '2026-11-27T10:29:00.000Z', 'QUEUED'),
  'job.cancelled': job(4, '2026-11-27T10:29:30.000Z', 'CANCELLED'),
  'job.deleted': job(5, '2026-11-27T10:45:00.000Z', 'CANCELLED'),
  'job.snapshot': {
    ...job(3, '2026-11-27T10:29:00.000Z', 'QUEUED'),
    eventId: `after-restart-7/${jobId}`,
    requestId: 'after-restart-7',
  },
  'jobs.answered': {
    eventId: 'after-restart-7/answered',
    eventVersion: EVENT_VERSION,
    at: '2026-11-27T10:40:00.000Z',
    requestId: 'after-restart-7',
    count: 1,
  },
  'share.created': share(1, '2026-11-27T10:10:00.000Z'),
  'share.ended': { ...share(2, '2026-11-27T10:40:12.000Z'), reason: 'REVOKED' },
  'control.requested': {
    requestId: commandId,
    commandId,
    eventVersion: EVENT_VERSION,
    organisationId,
    origin: 'share',
    shareId,
    deviceId,
    jobId,
    command: { name: 'GIMBAL', pitch: -30 },
    sequence: 12,
    requestedAt: '2026-11-27T10:31:07.250Z',
    startBefore: '2026-11-27T10:31:17.250Z',
    endBefore: '2026-11-27T10:31:37.250Z',
  },
  'organisation.changed': {
    eventId: `${organisationId}/2026-11-27T09:00:00.000Z`,
    eventVersion: EVENT_VERSION,
    organisationId,
    at: '2026-11-27T09:00:00.000Z',
    name: 'Acme Surveys',
    status: 'active',
  },
  'device-group.onboarded': {
    eventId: `${deviceGroupId}/2026-11-27T09:00:00.000Z`,
    eventVersion: EVENT_VERSION,
    organisationId,
    at: '2026-11-27T09:00:00.000Z',
    deviceGroupId,
    name: 'North quarry',
    description: 'Dock at the rim',
    devices: [{ deviceId, name: 'Kestrel', stream: 'stream-acme0001-01kb1x4c2d5e6f7g8h9j0k1m2s' }],
  },
  'mission.check.requested': {
    requestId: checkId,
    eventVersion: EVENT_VERSION,
    organisationId,
    at: '2026-11-27T10:30:00.000Z',
    deviceGroupId,
    desiredLocation: { type: 'Point', coordinates: [8.5417, 47.3769] },
    actionOnArrival: 'HOVER',
    flight: { height: 60 },
  },
  'report.rejected': {
    eventId: `${reportId}/rejected`,
    eventVersion: EVENT_VERSION,
    at: '2026-11-27T10:30:00.412Z',
    organisationId,
    jobId,
    reportId,
    reportType: 'job.status.reported',
    reason: 'malformed',
    details: [{ path: 'at', message: 'is required' }],
  },
};

const sample = {
  deviceId,
  timestamp: '2026-11-27T10:30:15.123Z',
  droneState: 'WAYPOINT',
  dockState: 'OPEN',
  jobId,
  navigation: {
    position: { type: 'Point', coordinates: [8.5417, 47.3769, 485.5] },
    orientation: { heading: 91.5, pitch: -2, roll: 0.4 },
    velocity: { groundSpeed: 9.8, verticalSpeed: 0.1 },
  },
  battery: { percent: 81, voltage: 24.1, remainingFlightTime: 1260 },
  progress: { percent: 42, distanceLeft: 640, secondsLeft: 75 },
};

const reported = {
  'job.status.reported': {
    jobId,
    status: 'IN_PROGRESS',
    at: '2026-11-27T10:30:00.000Z',
    deviceId,
    progress: { percent: 0, distanceLeft: 780, secondsLeft: 91 },
  },
  'device.telemetry.reported': { telemetry: [sample] },
  'device-group.registered': { deviceGroupId, name: 'North quarry', description: 'Dock at the rim' },
  'device-group.removed': { deviceGroupId },
  'device.registered': {
    deviceId,
    deviceGroupId,
    name: 'Kestrel',
    stream: 'stream-acme0001-01kb1x4c2d5e6f7g8h9j0k1m2s',
    capabilities: {
      commands: ['PAUSE', 'RESUME', 'RETURN_HOME', 'LAND', 'GO_TO', 'GIMBAL'],
      range: { from: { type: 'Point', coordinates: [8.5417, 47.3769] }, metres: 5000 },
    },
    at: '2026-11-27T09:00:00.250Z',
  },
  'jobs.requested': { requestId: 'after-restart-7', organisationId },
  'device.removed': { deviceId },
  'control.outcome.reported': {
    requestId: commandId,
    deviceId,
    outcome: 'REFUSED',
    reason: 'DEVICE_BUSY',
    at: '2026-11-27T10:31:08.000Z',
  },
  'mission.check.reported': {
    requestId: checkId,
    length: 23_840,
    durationSeconds: 2485,
    charge: 138,
    findings: [{ code: 'LOW_BATTERY', limit: 75, actual: 138 }],
  },
};

const from = (source: string, details: Readonly<Record<string, object>>) =>
  Object.entries(details).map(([type, detail]): PlatformEventExample => ({ source, 'detail-type': type, detail }));

/** An example of each event; those of docs/platform.md are among them. */
export const platformEventExamples = [...from(SERVICE, published), ...from(PLATFORM, reported)];
