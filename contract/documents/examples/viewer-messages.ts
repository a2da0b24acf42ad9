import {
  commandId,
  exampleIds,
  only,
  receivedAt,
  sampleExample,
  sequence,
  shareExample,
  type MessageExample,
} from './message-example';

const { deviceId, shareCode } = exampleIds;
const video = {
  protocol: 'HLS',
  url: 'https://video.example.com/hls/v1/master.m3u8',
  expiresAt: '2026-11-20T10:35:00.000Z',
};

const outcome = { type: 'control.outcome', requestId: commandId, deviceId, name: 'GIMBAL' };

/** Examples of what viewers of a share send and receive, by the name of the message. */
export const viewerMessageExamples: Readonly<Record<string, readonly MessageExample[]>> = {
  viewerShareStatus: [
    {
      name: 'snapshot',
      summary: 'The first message',
      payload: {
        type: 'share.status',
        sequence: 4,
        shareCode,
        shareState: 'ACTIVE',
        ...shareExample,
        shareType: 'STREAM',
        permissions: ['view', 'control'],
        commands: ['PAUSE', 'RESUME', 'RETURN_HOME'],
        snapshot: true,
        timestamp: '2026-11-20T10:31:02.000Z',
      },
    },
    {
      name: 'expired',
      summary: 'The final message of an expired share',
      payload: {
        type: 'share.status',
        sequence: 5,
        shareCode,
        shareState: 'EXPIRED',
        ...shareExample,
        currentViewers: 0,
        timestamp: shareExample.expiresAt,
      },
    },
  ],
  viewerTelemetry: [
    {
      name: 'snapshot',
      summary: 'The last known state, after connecting',
      payload: { type: 'device.telemetry', ...sampleExample, sequence, receivedAt, snapshot: true, age: 12.4 },
    },
    {
      name: 'sample',
      summary: 'A sample',
      payload: { type: 'device.telemetry', ...sampleExample, sequence, receivedAt },
    },
  ],
  playback: only({ action: 'playback', id: 6 }),
  sharePlayback: [
    { name: 'video', summary: 'Live video', payload: { type: 'share.playback', playback: video } },
    {
      name: 'none',
      summary: 'A device without video',
      payload: {
        type: 'share.playback',
        playback: null,
        code: 'no_video_stream',
        error: 'The device has no video stream',
        id: 6,
      },
    },
  ],
  flight: only({ action: 'flight', id: 10 }),
  shareFlight: [
    {
      name: 'flight',
      summary: 'A device in flight',
      payload: {
        type: 'share.flight',
        deviceName: 'Kestrel 1',
        jobName: 'Roof survey',
        place: { coordinates: [8.5438, 47.3781], actionOnArrival: 'HOVER' },
        route: [
          [8.541694, 47.376887],
          [8.5438, 47.3781],
        ],
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
  control: only({ action: 'control', command: { name: 'GIMBAL', pitch: -30 }, id: 9 }),
  accepted: only({ type: 'accepted', requestId: commandId, id: 9 }),
  takeControl: only({ action: 'takeControl', id: 11 }),
  controlTaken: only({ type: 'control.taken', until: '2026-11-20T10:32:08.000Z', id: 11 }),
  releaseControl: only({ action: 'releaseControl', id: 12 }),
  controlReleased: only({ type: 'control.released', id: 12 }),
  controlOutcome: [
    {
      name: 'refused',
      summary: 'Not attempted',
      payload: { ...outcome, outcome: 'REFUSED', reason: 'DEVICE_BUSY', timestamp: '2026-11-20T10:31:08.000Z' },
    },
    {
      name: 'done',
      summary: 'Achieved',
      payload: { ...outcome, outcome: 'DONE', timestamp: '2026-11-20T10:31:09.412Z' },
    },
  ],
};
