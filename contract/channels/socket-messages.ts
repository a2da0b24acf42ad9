import * as z from 'zod/mini';
import { refusalCodes } from '../../domain/values/refusal';
import { permissions, shareTypes } from '../../domain/shares/share';
import { shareStatusMessage } from '../../domain/channels/status-message';
import { knownState } from '../../domain/telemetry/known-state';
import { orientation } from '../../domain/telemetry/sample';
import { messageFault } from '../terms/message-fault';
import { viewerTelemetryFields } from './viewer-telemetry-fields';
import { broadcastAccess, controlOutcomeMessage } from '../shares/viewer-protocol';

/** A sample of a device, for partners that have subscribed to it. */
export const deviceTelemetryMessage = z.object({
  type: z.literal('device.telemetry'),
  deviceId: z.string(),
  deviceGroupId: z.string(),
  /** The sample's `timestamp` in Unix milliseconds. */
  sequence: z.int(),
  /** When this service received the sample; ISO 8601 in UTC. */
  receivedAt: z.string(),
  /** The last known state at the time of subscribing, not a new sample. */
  snapshot: z.optional(z.literal(true)),
  /** Of a snapshot: seconds from the sample's `timestamp` to the sending of the message, by the clock of this service. */
  age: z.optional(z.number()),
  ...knownState.shape,
});
export type DeviceTelemetryMessage = z.output<typeof deviceTelemetryMessage>;

/** Samples that arrived together, for partners that have asked for batches. */
export const deviceTelemetryBatchMessage = z.object({
  type: z.literal('device.telemetry.batch'),
  /** Each as it would be sent alone; those of a device in the order of their `sequence`. */
  samples: z.array(deviceTelemetryMessage),
});
export type DeviceTelemetryBatchMessage = z.output<typeof deviceTelemetryBatchMessage>;

/** The snapshots of a subscription have been sent. */
export const snapshotEndMessage = z.object({
  type: z.literal('snapshot.end'),
  deviceId: z.optional(z.string()),
  deviceGroupId: z.optional(z.string()),
  /** How many there were. */
  count: z.int(),
});
export type SnapshotEndMessage = z.output<typeof snapshotEndMessage>;

/**
 * A sample of the shared device, for a viewer. One device was shared, so the message names neither its group nor its job. Of
 * the sensor payload it has only the camera's orientation; the rest is the manufacturer's and may hold anything.
 */
export const viewerTelemetryMessage = z.extend(z.pick(deviceTelemetryMessage, viewerTelemetryFields), {
  sensorPayload: z.optional(z.object({ camera: z.object({ orientation }) })),
});
export type ViewerTelemetryMessage = z.output<typeof viewerTelemetryMessage>;

/** The status of a share, for its viewers: the first message also says what was shared and what the viewer may do. */
export const viewerShareMessage = z.extend(
  z.pick(shareStatusMessage, {
    type: true,
    shareCode: true,
    shareState: true,
    currentViewers: true,
    maxViewers: true,
    expiresAt: true,
    sequence: true,
    deleted: true,
    snapshot: true,
    timestamp: true,
  }),
  {
    shareType: z.optional(z.enum(shareTypes)),
    permissions: z.optional(z.array(z.enum(permissions))),
    /** With `control`, if the share names them: the commands that it permits; without it all but LAND. */
    commands: z.optional(z.array(z.string())),
    /** Only for a client that offers it: where the samples and the number of viewers are. */
    broadcast: z.optional(broadcastAccess),
  },
);
export type ViewerShareMessage = z.output<typeof viewerShareMessage>;

/** Keeps an idle socket open. */
export const heartbeatMessage = z.object({ type: z.literal('heartbeat') });
export type HeartbeatMessage = z.output<typeof heartbeatMessage>;

/** A client that resumes has been sent what it missed. */
export const resumedMessage = z.object({ type: z.literal('resumed'), cursor: z.string() });
export type ResumedMessage = z.output<typeof resumedMessage>;

/** A client that resumes can't be sent what it missed; the current state follows. */
export const gapMessage = z.object({ type: z.literal('gap') });
export type GapMessage = z.output<typeof gapMessage>;

/** A minute before a partner's socket ends. */
export const expiringMessage = z.object({
  type: z.literal('expiring'),
  /** When the socket will be closed; ISO 8601 in UTC. */
  expiresAt: z.string(),
  /** `token`: its token ends; `connection`: two hours have passed since its handshake. */
  reason: z.enum(['token', 'connection']),
});
export type ExpiringMessage = z.output<typeof expiringMessage>;

/** The answer to a message that can't be fulfilled, without the repeated `id`. */
export const errorMessage = z.object({
  type: z.literal('error'),
  code: z.enum([...refusalCodes, 'internal_error']),
  error: z.string(),
  details: z.optional(z.array(messageFault)),
  /** Only with `internal_error`. */
  requestId: z.optional(z.string()),
});
export type ErrorMessage = z.output<typeof errorMessage>;

/** One message that the service sends over sockets, beside status messages and replies to actions. */
interface SocketMessage {
  readonly summary: string;
  /** For partners (docs/api/asyncapi.json). */
  readonly description: string;
  readonly message: z.ZodMiniType;
  /** The sockets that may receive it: followers of status channels, and on the telemetry endpoint partners and viewers. */
  readonly to: readonly ('status' | 'partner' | 'viewer')[];
}

export const socketMessages = {
  heartbeat: {
    summary: 'The connection is alive',
    description:
      'Comes within about two minutes after connecting, and every four minutes from then on, so that idle connections stay open. A connection without any message for five minutes is dead: close it and connect again.',
    message: heartbeatMessage,
    to: ['status', 'partner', 'viewer'],
  },
  resumed: {
    summary: 'Everything missed has been sent',
    description:
      'Only after connecting with `after`: follows the messages with `"replayed": true`, if there are any. `cursor` is that of the last of them, or the one in `after`. Every change from now on follows.',
    message: resumedMessage,
    to: ['status'],
  },
  gap: {
    summary: 'What was missed can no longer be sent',
    description:
      'Only after connecting with `after`: the event log no longer reaches back to that cursor, or more than 1,000 messages of this channel were missed, or, for a job or a device group, some 7,000 events of the organisation. The current state follows, with `"snapshot": true`, as without `after`.',
    message: gapMessage,
    to: ['status'],
  },
  expiring: {
    summary: 'The socket ends soon',
    description:
      'Comes once, one to three minutes before the socket is closed; a socket that lasts for less than four minutes may get none. With the reason `token` send `authenticate` with a new token, and the socket goes on; with `connection` it has been open for two hours: open another one. Like a heartbeat it shows that the connection is alive.',
    message: expiringMessage,
    to: ['status', 'partner'],
  },
  error: {
    summary: 'A message could not be fulfilled',
    description:
      'The socket stays open, unless `authenticate` brought a token without its scope. Rely on `code`, never on the text in `error`. `details` names the fields that are wrong. With `internal_error` the message may be sent again; quote its `requestId` when you report it.',
    message: errorMessage,
    to: ['status', 'partner', 'viewer'],
  },
  deviceTelemetry: {
    summary: 'A sample of a device',
    description:
      'Every sample of the devices that are subscribed to, as it was reported, and first the last known state of each with `"snapshot": true`. Samples may be partial: a field that is left out is unknown, not cleared. `sequence` is the `timestamp` in Unix milliseconds: drop a sample whose `sequence` is not higher than the last one of its device.',
    message: deviceTelemetryMessage,
    to: ['partner'],
  },
  snapshotEnd: {
    summary: 'All snapshots of a subscription have been sent',
    description:
      'Comes once after each `subscribe`, behind the last known states of all devices that ever reported; at once when there is none. Every sample from now on follows.',
    message: snapshotEndMessage,
    to: ['partner'],
  },
  deviceTelemetryBatch: {
    summary: 'Samples that arrived together',
    description:
      'In place of `device.telemetry` for subscriptions with `"batch": true`, when samples arrive together; nothing is held back for it. Each sample is the message that would otherwise be sent by itself, those of a device in order, and the whole is at most 32 kB. Snapshots, samples that arrive while a snapshot is sent, and a sample that arrives alone stay single.',
    message: deviceTelemetryBatchMessage,
    to: ['partner'],
  },
  viewerShareStatus: {
    summary: 'The share that is being watched',
    description:
      'The first message, with `"snapshot": true`, `shareType`, `permissions`, and `commands` if the share names them; then one when the number of viewers changes, at most once a second. The final one has the `shareState` `REVOKED` or `EXPIRED`; the socket is closed after it.',
    message: viewerShareMessage,
    to: ['viewer'],
  },
  viewerTelemetry: {
    summary: 'A sample of the shared device',
    description:
      'The last known state of the device with `"snapshot": true`, if it ever reported, and then every sample, without group and job, and of `sensorPayload` only the orientation of the camera.',
    message: viewerTelemetryMessage,
    to: ['viewer'],
  },
  controlOutcome: {
    summary: 'What has become of a command',
    description:
      'Sent to all viewers of the share for each change of a command that came through it: `DELIVERED` when the device begins, which may be left out, and then one of the others. Every command gets one. `TIMED_OUT` means that nobody knows whether it was executed.',
    message: controlOutcomeMessage,
    to: ['viewer'],
  },
} as const satisfies Record<string, SocketMessage>;
