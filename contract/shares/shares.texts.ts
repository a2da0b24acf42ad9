import type { Field, Fields, Objects } from '../terms/field';
import { identifier } from '../terms/common.texts';

const expiresAt: Field = {
  description: 'When the share ends. ISO 8601 in UTC.',
  examples: ['2026-11-27T11:30:15.123Z'],
  format: 'date-time',
};
const versionOfShare: Field = { description: 'Version of the share.', examples: [4], format: 'int64', minimum: 0 };
const commands: Field = {
  description:
    'With the permission `control`: the names of the commands that viewers may send, at most 50. Without it all but `LAND`.',
  examples: [['PAUSE', 'RESUME', 'RETURN_HOME']],
};
const shareState: Field = {
  description: '`ACTIVE`; in the final message `REVOKED` or `EXPIRED`.',
  examples: ['ACTIVE'],
};
const changedAt: Field = {
  description: 'Time of the change. ISO 8601 in UTC.',
  examples: ['2026-11-27T10:30:15.123Z'],
  format: 'date-time',
};

/** Fields of shares and their viewers. */
export const shareFields: Fields = {
  currentViewers: {
    description: 'Viewers that watch the share now. It follows reality within two seconds.',
    examples: [2],
    minimum: 0,
  },
  expiresAt: {
    description: 'When the share ends: viewers are disconnected, and from then on it is answered with 404.',
    examples: ['2026-11-27T11:30:15.123Z'],
    format: 'date-time',
  },
  expiresIn: {
    description: 'Lifetime of the share in seconds, 60 to 86400 (a day). It can’t be prolonged: create another share.',
    examples: [3600],
  },
  maxViewers: {
    description: 'How many viewers may watch at the same time, 1 to 1000. Further ones are refused until one leaves.',
    examples: [10],
  },
  permissions: {
    description:
      'What viewers may do: `view`, and `control` to send commands to the drone. At least one; repetitions are dropped.',
    examples: [['view']],
    minItems: 1,
    maxItems: 2,
  },
  playback: {
    description: 'Live video of a share of type `STREAM`: `null` while the device has none, left out for other shares.',
  },
  protocol: { description: 'Protocol of the video, HTTP Live Streaming.' },
  resourceId: {
    description:
      'What is shared: a `deviceId` from `GET /v3/resources`, or the id of one of the device’s video streams.',
    examples: ['device-7k2m9qx4-01kb1x4c2d5e6f7g8h9j0k1m2p'],
    ...identifier,
  },
  share: { description: 'The share.' },
  shareCode: {
    description: 'Identifier of the share, and all that a viewer needs: treat it like a password.',
    examples: ['share-7k2m9qx4-01kb1x5q2d8Zt4Gm1cVw9Rk3Hs7PbXeL'],
    ...identifier,
  },
  shareType: {
    description: '`STREAM`: live video together with the status. `DEVICE_STATUS`: position and status only.',
    examples: ['STREAM'],
  },
  shareUrl: {
    description: 'Address of the public page of the share. Whoever has it can watch, without a login.',
    examples: ['https://share.drone-missions.example/share/share-7k2m9qx4-01kb1x5q2d8Zt4Gm1cVw9Rk3Hs7PbXeL'],
    format: 'uri',
  },
  shares: { description: 'The active shares of this page, newest first.', maxItems: 100 },
  url: {
    description: 'Address of the HLS playlist. It can’t be revoked, so it lives only 300 seconds.',
    examples: ['https://video.drone-missions.example/hls/v1/getHLSMasterPlaylist.m3u8?SessionToken=example'],
    format: 'uri',
  },
  broadcast: {
    description:
      'Only for clients that offer the subprotocol `share.broadcast`, in shares with more than 50 places, and only in the first message: where the samples are published, and the number of viewers. Connect to `/mqtt` on the same host by MQTT 3.1.1 over WebSocket with the share code as password, and subscribe to `topic`. All other messages come over this socket; the MQTT connection ends with it.',
  },
  clientId: {
    description: 'The MQTT client id to connect with.',
    examples: ['viewer-2f1a9c0b7d3e4f5061728394a5b6c7d8'],
  },
  topic: {
    description: 'The only MQTT topic that may be subscribed to.',
    examples: ['broadcast/5e884898da28047151d0e56f8dc62927'],
  },
  username: { description: 'The MQTT user name to connect with.', examples: ['L0SM9cOFvHcCIhw='] },
  'CreateShareRequest.commands': commands,
  'CreateShareRequest.metadata': {
    description:
      'Any JSON object of yours: at most 16 KiB as JSON in UTF-8, at most 32 levels deep. It is stored with the share and not returned.',
    examples: [{ order: 4711 }],
  },
  'ListedShare.commands': commands,
  'ListShareResourcesReply.resources': {
    description: 'The device of the share; empty once the device has been removed.',
  },
  'LiveVideo.expiresAt': {
    description: 'When the URL stops working, 300 seconds after it was issued. Send `playback` for a new one.',
    examples: ['2026-11-27T10:35:15.123Z'],
    format: 'date-time',
  },
  'Playback.expiresAt': {
    description:
      'When the URL stops working, 300 seconds after it was issued. Request the resources again for a new one.',
    examples: ['2026-11-27T10:35:15.123Z'],
    format: 'date-time',
  },
  'Share.commands': commands,
  'ShareCreatedDetail.commands': commands,
  'ShareEndedDetail.commands': commands,
  'SharePlaybackMessage.code': {
    description: '`no_video_stream` while there is nothing to play.',
    examples: ['no_video_stream'],
  },
  'SharePlaybackMessage.error': {
    description: 'Text for people while there is nothing to play.',
    examples: ['The device has no video stream'],
  },
  'SharePlaybackMessage.playback': {
    description: 'Where the live video can be played; `null` while the device has none.',
  },
  'ShareStatusMessage.expiresAt': expiresAt,
  'ShareStatusMessage.sequence': versionOfShare,
  'ShareStatusMessage.shareState': shareState,
  'ShareStatusMessage.timestamp': changedAt,
  'ViewerShareStatusMessage.commands': {
    description:
      'With `control`: the commands that this viewer may send, if the share names them; without it all but `LAND`. Only in the first message.',
    examples: [['PAUSE', 'RESUME', 'RETURN_HOME']],
  },
  'ViewerShareStatusMessage.expiresAt': expiresAt,
  'ViewerShareStatusMessage.permissions': {
    description: 'What this viewer may do: `view`, and `control` to send commands. Only in the first message.',
    examples: [['view', 'control']],
  },
  'ViewerShareStatusMessage.sequence': versionOfShare,
  'ViewerShareStatusMessage.shareState': shareState,
  'ViewerShareStatusMessage.shareType': {
    description:
      '`STREAM`: live video together with the status. `DEVICE_STATUS`: position and status only. Only in the first message.',
    examples: ['STREAM'],
  },
  'ViewerShareStatusMessage.timestamp': changedAt,
};

/** Objects in replies, by the export of their schema: generated clients have a class for each. */
export const shareObjects: Objects = {
  share: 'A share with the address of its page.',
  listedShare: 'A share with the number of its viewers.',
  createdShare: 'The main fields of a new share.',
  sharedDevice: 'The device behind a share.',
  playback: 'Where the live video can be played.',
};
