import { formatCursor } from '../../../domain/events/cursor';
import { lacksScope } from '../../terms/forbidden';
import {
  cameraExample,
  commandId,
  exampleIds,
  inFlight,
  measuredAt,
  navigationExample,
  only,
  progressExample,
  receivedAt,
  sampleExample,
  sequence,
  shareExample,
  weatherExample,
  type MessageExample,
} from './message-example';
import { viewerMessageExamples } from './viewer-messages';

const { jobId, deviceGroupId, deviceId, shareCode, token } = exampleIds;
const job = { type: 'job.status', jobId, deviceGroupId };
const command = {
  type: 'command.status',
  commandId,
  deviceId,
  deviceGroupId,
  jobId,
  name: 'PAUSE',
  origin: 'partner',
  requestedBy: '6b1o2p3q4r5s6t7u8v9w0x1y2z',
};
const cursor = (number: number) => formatCursor('7k2m9qx4', number);

/** Examples by the name of the message; tests validate each, and send those that clients send to a stack. */
export const messageExamples: Readonly<Record<string, readonly MessageExample[]>> = {
  jobStatus: [
    {
      name: 'snapshot',
      summary: 'The first message',
      payload: {
        ...job,
        sequence: 1,
        jobState: 'PENDING',
        snapshot: true,
        cursor: cursor(1),
        timestamp: '2026-11-20T10:30:10.005Z',
      },
    },
    {
      name: 'change',
      summary: 'A change of the status',
      payload: {
        ...job,
        sequence: 3,
        jobState: 'IN_PROGRESS',
        previousState: 'QUEUED',
        cursor: cursor(3),
        timestamp: '2026-11-20T10:30:12.482Z',
      },
    },
    {
      name: 'replayed',
      summary: 'A change that was missed, after connecting with `after`',
      payload: {
        ...job,
        sequence: 3,
        jobState: 'IN_PROGRESS',
        previousState: 'QUEUED',
        replayed: true,
        cursor: cursor(3),
        timestamp: '2026-11-20T10:30:12.482Z',
      },
    },
    {
      name: 'position',
      summary: 'The position during the flight',
      payload: {
        ...job,
        sequence: 3,
        deviceId,
        jobState: 'IN_PROGRESS',
        droneState: 'WAYPOINT',
        dockState: 'OPEN',
        navigation: navigationExample,
        progress: progressExample,
        timestamp: measuredAt,
      },
    },
    {
      name: 'deleted',
      summary: 'The final message of a deleted job',
      payload: {
        ...job,
        sequence: 5,
        jobState: 'COMPLETED',
        deleted: true,
        cursor: cursor(9),
        timestamp: '2026-11-20T10:52:40.120Z',
      },
    },
  ],
  deviceStatus: [
    {
      name: 'online',
      summary: 'A device with what it reports',
      payload: {
        type: 'device.status',
        sequence: 41,
        deviceId,
        deviceGroupId,
        name: 'North 1',
        status: 'online',
        ...inFlight,
        sensorPayload: { camera: cameraExample },
        weather: weatherExample,
        cursor: cursor(4),
        timestamp: measuredAt,
      },
    },
    {
      name: 'snapshot',
      summary: 'A device that has reported, in the first messages over a WebSocket',
      payload: {
        type: 'device.status',
        sequence: 41,
        deviceId,
        deviceGroupId,
        name: 'North 1',
        status: 'offline',
        ...inFlight,
        snapshot: true,
        age: 1214.5,
        cursor: cursor(4),
        timestamp: measuredAt,
      },
    },
    {
      name: 'unreported',
      summary: 'A device that never reported, in the first messages over a WebSocket',
      payload: {
        type: 'device.status',
        sequence: 0,
        deviceId,
        deviceGroupId,
        name: 'North 1',
        status: 'offline',
        snapshot: true,
        cursor: cursor(1),
        timestamp: '2026-11-20T10:30:10.005Z',
      },
    },
  ],
  commandStatus: [
    {
      name: 'delivered',
      summary: 'The device has begun',
      payload: {
        ...command,
        sequence: 2,
        status: 'DELIVERED',
        cursor: cursor(6),
        timestamp: '2026-11-20T10:31:07.481Z',
      },
    },
    {
      name: 'done',
      summary: 'It is achieved',
      payload: { ...command, sequence: 3, status: 'DONE', cursor: cursor(7), timestamp: '2026-11-20T10:31:09.412Z' },
    },
    {
      name: 'late',
      summary: 'An outcome that came after the end',
      payload: {
        ...command,
        sequence: 3,
        status: 'TIMED_OUT',
        lateOutcome: { outcome: 'DONE', at: '2026-11-20T10:31:40.000Z' },
        cursor: cursor(8),
        timestamp: '2026-11-20T10:31:37.250Z',
      },
    },
  ],
  shareStatus: [
    {
      name: 'viewers',
      summary: 'A viewer has come or gone',
      payload: {
        type: 'share.status',
        sequence: 4,
        shareCode,
        shareState: 'ACTIVE',
        ...shareExample,
        timestamp: '2026-11-20T10:31:02.000Z',
      },
    },
    {
      name: 'revoked',
      summary: 'The final message of a revoked share',
      payload: {
        type: 'share.status',
        sequence: 5,
        shareCode,
        shareState: 'REVOKED',
        ...shareExample,
        currentViewers: 0,
        cursor: cursor(8),
        timestamp: '2026-11-20T10:40:12.000Z',
      },
    },
  ],
  cleared: only('', 'No bytes'),
  heartbeat: only({ type: 'heartbeat' }),
  resumed: only({ type: 'resumed', cursor: cursor(3) }),
  gap: only({ type: 'gap' }),
  expiring: [
    {
      name: 'token',
      summary: 'The token ends: authenticate with a new one',
      payload: { type: 'expiring', expiresAt: '2026-11-20T10:31:40.000Z', reason: 'token' },
    },
    {
      name: 'connection',
      summary: 'The socket has been open for two hours: open another one',
      payload: { type: 'expiring', expiresAt: '2026-11-20T12:30:10.000Z', reason: 'connection' },
    },
  ],
  error: [
    {
      name: 'invalidField',
      summary: 'A field of a sample is wrong; nothing was accepted',
      payload: {
        type: 'error',
        code: 'invalid_request',
        error: 'invalid_request',
        details: [{ path: 'telemetry.0.battery.percent', message: 'must be 100 or less' }],
        id: 7,
      },
    },
    {
      name: 'forbidden',
      summary: 'The token lacks a scope',
      payload: {
        type: 'error',
        code: 'forbidden',
        error: 'Forbidden',
        details: lacksScope('action', 'stream:publish').details,
        id: 8,
      },
    },
  ],
  ping: only({ action: 'ping', id: 1 }),
  pong: only({ type: 'pong', timestamp: '2026-11-20T10:30:15.000Z', id: 1 }),
  authenticate: only({ action: 'authenticate', token, id: 6 }),
  authenticated: only({ type: 'authenticated', expiresAt: '2026-11-20T11:30:15.000Z', id: 6 }),
  subscribe: [
    { name: 'device', summary: 'One device', payload: { action: 'subscribe', deviceId, id: 2 } },
    { name: 'group', summary: 'All devices of a group', payload: { action: 'subscribe', deviceGroupId, id: 'fleet' } },
    {
      name: 'batch',
      summary: 'All devices of a group; samples that arrive together as one message',
      payload: { action: 'subscribe', deviceGroupId, batch: true, id: 'swarm' },
    },
  ],
  subscribed: [
    { name: 'single', summary: 'Every sample comes by itself', payload: { type: 'subscribed', deviceId, id: 2 } },
    {
      name: 'batch',
      summary: 'Samples that arrive together come as one message',
      payload: { type: 'subscribed', deviceGroupId, batch: true, id: 'swarm' },
    },
  ],
  snapshotEnd: only({ type: 'snapshot.end', deviceGroupId, count: 2 }),
  unsubscribe: only({ action: 'unsubscribe', deviceId, id: 3 }),
  unsubscribed: only({ type: 'unsubscribed', deviceId, id: 3 }),
  publish: [
    {
      name: 'sample',
      summary: 'One sample with everything that is known',
      payload: {
        action: 'publish',
        telemetry: {
          ...sampleExample,
          sensorPayload: { camera: cameraExample },
          weather: weatherExample,
          jobId,
          progress: progressExample,
        },
        id: 4,
      },
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
  published: [
    { name: 'all', summary: 'Two samples are new', payload: { type: 'published', accepted: 2, recorded: 1, id: 5 } },
    {
      name: 'one-refused',
      summary: 'One of two samples is refused',
      payload: {
        type: 'published',
        accepted: 1,
        recorded: 1,
        refused: [{ index: 1, path: 'telemetry.1.timestamp', message: 'is more than 60 seconds in the future' }],
        id: 6,
      },
    },
    {
      name: 'clock-differs',
      summary: 'The clock of the device is 45 seconds behind',
      payload: {
        type: 'published',
        accepted: 1,
        recorded: 1,
        warnings: [{ code: 'clock_differs', deviceId, seconds: 45.2 }],
        id: 7,
      },
    },
  ],
  deviceTelemetry: [
    {
      name: 'snapshot',
      summary: 'The last known state, after subscribing',
      payload: {
        type: 'device.telemetry',
        ...sampleExample,
        deviceGroupId,
        sequence,
        receivedAt,
        snapshot: true,
        age: 12.4,
      },
    },
    {
      name: 'sample',
      summary: 'A sample with some of the fields',
      payload: {
        type: 'device.telemetry',
        deviceId,
        deviceGroupId,
        sequence: sequence + 1000,
        receivedAt: '2026-11-20T10:30:16.201Z',
        timestamp: '2026-11-20T10:30:16.123Z',
        battery: { percent: 81 },
      },
    },
  ],
  deviceTelemetryBatch: only({
    type: 'device.telemetry.batch',
    samples: [0, 1000].map((later) => ({
      type: 'device.telemetry',
      deviceId,
      deviceGroupId,
      sequence: sequence + 1000 + later,
      receivedAt: '2026-11-20T10:30:17.201Z',
      timestamp: new Date(sequence + 1000 + later).toISOString(),
      battery: { percent: later === 0 ? 81 : 80 },
    })),
  }),
  ...viewerMessageExamples,
};
