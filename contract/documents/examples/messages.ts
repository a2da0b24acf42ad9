import { lacksScope } from '../../forbidden';
import { exampleValue } from '../fields';

const exampleText = (field: string) => exampleValue(field) as string;

/** Identifiers of the examples: one organisation, its group with a drone, a job and a share. */
export const exampleIds = {
  jobId: exampleText('jobId'),
  deviceGroupId: exampleText('deviceGroupId'),
  deviceId: exampleText('deviceId'),
  shareCode: exampleText('shareCode'),
};

/** One message as it is sent or received. */
export interface MessageExample {
  readonly name: string;
  readonly summary: string;
  readonly payload: unknown;
}

const { jobId, deviceGroupId, deviceId, shareCode } = exampleIds;
const measuredAt = '2026-11-20T10:30:15.123Z';
const receivedAt = '2026-11-20T10:30:15.208Z';
const requestId = '01kb1x5n2c4d6f8g0h2j4k6m8n';

const navigation = {
  position: { type: 'Point', coordinates: [8.5417, 47.3769, 485.5] },
  orientation: { heading: 270.5, pitch: -2.1, roll: 0.3 },
  velocity: { groundSpeed: 12.5, verticalSpeed: -0.5 },
};
const battery = { percent: 81, voltage: 47.1, remainingFlightTime: 1260 };
const camera = { orientation: { heading: 90, pitch: -45, roll: 0 } };
const weather = { windSpeed: 4, windDirection: 200, temperature: 11, humidity: 60, rain: 0 };
const inFlight = { droneState: 'WAYPOINT', dockState: 'OPEN', navigation, battery };
const sample = { deviceId, timestamp: measuredAt, ...inFlight };
const sequence = Date.parse(measuredAt);
const share = { currentViewers: 2, maxViewers: 10, expiresAt: '2026-11-20T11:10:00.000Z' };
const job = { type: 'job.status', jobId, deviceGroupId };
const video = {
  protocol: 'HLS',
  url: 'https://video.example.com/hls/v1/master.m3u8',
  expiresAt: '2026-11-20T10:35:00.000Z',
};

const only = (payload: unknown, summary = 'Example'): readonly MessageExample[] => [
  { name: 'example', summary, payload },
];

/** Examples by the name of the message; tests validate each, and send those that clients send to a stack. */
export const messageExamples: Readonly<Record<string, readonly MessageExample[]>> = {
  jobStatus: [
    {
      name: 'snapshot',
      summary: 'The first message over a WebSocket',
      payload: { ...job, sequence: 1, jobState: 'PENDING', snapshot: true, timestamp: '2026-11-20T10:30:10.005Z' },
    },
    {
      name: 'change',
      summary: 'A change of the status',
      payload: {
        ...{ ...job, sequence: 3, jobState: 'IN_PROGRESS', previousState: 'QUEUED' },
        timestamp: '2026-11-20T10:30:12.482Z',
      },
    },
    {
      name: 'position',
      summary: 'The position during the flight',
      payload: {
        ...{ ...job, sequence: 3, deviceId, jobState: 'IN_PROGRESS' },
        ...{ droneState: 'WAYPOINT', dockState: 'OPEN', navigation, timestamp: measuredAt },
      },
    },
    {
      name: 'deleted',
      summary: 'The final message of a deleted job',
      payload: { ...job, sequence: 5, jobState: 'COMPLETED', deleted: true, timestamp: '2026-11-20T10:52:40.120Z' },
    },
  ],
  deviceStatus: [
    {
      name: 'online',
      summary: 'A device with what it reports',
      payload: {
        ...{ type: 'device.status', sequence: 41, deviceId, deviceGroupId, status: 'online', ...inFlight },
        ...{ sensorPayload: { camera }, weather, timestamp: measuredAt },
      },
    },
    {
      name: 'snapshot',
      summary: 'A device that never reported, in the first messages over a WebSocket',
      payload: {
        ...{ type: 'device.status', sequence: 0, deviceId, deviceGroupId, status: 'offline' },
        ...{ snapshot: true, timestamp: '2026-11-20T10:30:10.005Z' },
      },
    },
  ],
  shareStatus: [
    {
      name: 'viewers',
      summary: 'A viewer has come or gone',
      payload: {
        ...{ type: 'share.status', sequence: 4, shareCode, shareState: 'ACTIVE', ...share },
        timestamp: '2026-11-20T10:31:02.000Z',
      },
    },
    {
      name: 'revoked',
      summary: 'The final message of a revoked share',
      payload: {
        ...{ type: 'share.status', sequence: 5, shareCode, shareState: 'REVOKED', ...share, currentViewers: 0 },
        timestamp: '2026-11-20T10:40:12.000Z',
      },
    },
  ],
  cleared: only('', 'No bytes'),
  heartbeat: only({ type: 'heartbeat' }),
  error: [
    {
      name: 'invalidField',
      summary: 'A field of a sample is wrong; nothing was accepted',
      payload: {
        ...{ type: 'error', code: 'invalid_request', error: 'invalid_request' },
        ...{
          details: [{ path: 'telemetry.0.battery.percent', message: 'must be 100 or less' }],
          id: 7,
        },
      },
    },
    {
      name: 'forbidden',
      summary: 'The token lacks a scope',
      payload: {
        ...{ type: 'error', code: 'forbidden', error: 'Forbidden' },
        ...{ details: lacksScope('action', 'stream:publish').details, id: 8 },
      },
    },
  ],
  ping: only({ action: 'ping', id: 1 }),
  pong: only({ type: 'pong', id: 1 }),
  subscribe: [
    { name: 'device', summary: 'One device', payload: { action: 'subscribe', deviceId, id: 2 } },
    { name: 'group', summary: 'All devices of a group', payload: { action: 'subscribe', deviceGroupId, id: 'fleet' } },
  ],
  subscribed: only({ type: 'subscribed', deviceId, id: 2 }),
  unsubscribe: only({ action: 'unsubscribe', deviceId, id: 3 }),
  unsubscribed: only({ type: 'unsubscribed', deviceId, id: 3 }),
  publish: [
    {
      name: 'sample',
      summary: 'One sample with everything that is known',
      payload: { action: 'publish', telemetry: { ...sample, sensorPayload: { camera }, weather, jobId }, id: 4 },
    },
    {
      name: 'list',
      summary: 'Two samples',
      payload: {
        action: 'publish',
        telemetry: [
          { deviceId, timestamp: '2026-11-20T10:30:16.123Z', battery: { percent: 81 } },
          { deviceId, timestamp: '2026-11-20T10:30:17.123Z', battery: { percent: 80 } },
        ],
        id: 5,
      },
    },
  ],
  published: only({ type: 'published', accepted: 2, id: 5 }),
  deviceTelemetry: [
    {
      name: 'snapshot',
      summary: 'The last known state, after subscribing',
      payload: { type: 'device.telemetry', ...sample, deviceGroupId, sequence, receivedAt, snapshot: true },
    },
    {
      name: 'sample',
      summary: 'A sample with some of the fields',
      payload: {
        ...{ type: 'device.telemetry', deviceId, deviceGroupId, sequence: sequence + 1000 },
        ...{ receivedAt: '2026-11-20T10:30:16.201Z', timestamp: '2026-11-20T10:30:16.123Z', battery: { percent: 81 } },
      },
    },
  ],
  viewerShareStatus: [
    {
      name: 'snapshot',
      summary: 'The first message',
      payload: {
        ...{ type: 'share.status', sequence: 4, shareCode, shareState: 'ACTIVE', ...share },
        ...{ shareType: 'STREAM', permissions: ['view', 'control'], snapshot: true },
        timestamp: '2026-11-20T10:31:02.000Z',
      },
    },
    {
      name: 'expired',
      summary: 'The final message of an expired share',
      payload: {
        ...{ type: 'share.status', sequence: 5, shareCode, shareState: 'EXPIRED', ...share, currentViewers: 0 },
        timestamp: share.expiresAt,
      },
    },
  ],
  viewerTelemetry: only({ type: 'device.telemetry', ...sample, sequence, receivedAt }),
  playback: only({ action: 'playback', id: 6 }),
  sharePlayback: [
    { name: 'video', summary: 'Live video', payload: { type: 'share.playback', playback: video } },
    {
      name: 'none',
      summary: 'A device without video',
      payload: {
        ...{ type: 'share.playback', playback: null },
        ...{ code: 'no_video_stream', error: 'The device has no video stream', id: 6 },
      },
    },
  ],
  flight: only({ action: 'flight', id: 10 }),
  shareFlight: [
    {
      name: 'flight',
      summary: 'A device in flight',
      payload: {
        ...{ type: 'share.flight', deviceName: 'Kestrel 1', jobName: 'Roof survey' },
        takeOff: { timestamp: '2026-11-20T10:30:05.004Z', altitude: 443.2 },
        track: [
          { timestamp: '2026-11-20T10:30:05.004Z', coordinates: [8.541694, 47.376887, 443.4], groundSpeed: 0 },
          { timestamp: '2026-11-20T10:30:10.011Z', coordinates: [8.541702, 47.376891, 485.5], groundSpeed: 12.5 },
        ],
        id: 10,
      },
    },
    {
      name: 'docked',
      summary: 'A device on the ground',
      payload: { type: 'share.flight', deviceName: 'Kestrel 1', track: [], id: 10 },
    },
  ],
  control: only({ action: 'control', command: { name: 'gimbal', pitch: -30 }, id: 9 }),
  accepted: only({ type: 'accepted', requestId, id: 9 }),
  controlOutcome: only({
    ...{ type: 'control.outcome', requestId, deviceId, outcome: 'REFUSED', reason: 'DEVICE_BUSY' },
    timestamp: '2026-11-20T10:31:08.000Z',
  }),
};
