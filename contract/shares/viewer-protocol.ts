/** What the share page and the service tell each other. */
import * as z from 'zod/mini';
import { commandReason, laterStatuses } from '../../domain/commands/command-lifecycle';
import { actions } from '../../domain/values/destination';
import { trackPoint } from '../../domain/telemetry/flight';
import type { RefusalCode } from '../../domain/values/refusal';
import { routePoint } from '../../domain/shares/route';

/**
 * Subprotocols that the share page offers. A browser can't read the status of a refused handshake, so a handshake from the
 * page always succeeds, and the negotiated subprotocol says whether the viewer may watch, or why not. Clients that don't
 * offer them get 404 or 429.
 */
export const shareProtocols = {
  watching: 'share',
  share_not_found: 'share.not-found',
  too_many_viewers: 'share.full',
} as const satisfies Partial<Record<RefusalCode | 'watching', string>>;

/**
 * Offered in addition by a share page that can take samples over MQTT: in a share with many places it is sent none over the
 * socket, but told a topic ({@link broadcastAccess}). Never selected.
 */
export const broadcastProtocol = 'share.broadcast';

/**
 * Path of MQTT over WebSockets, on the host of the share page; AWS IoT takes no other (developer guide, "Device
 * communication protocols").
 */
export const BROADCAST_PATH = '/mqtt';

/** How a share page connects for samples, with the share code as password, and the only topic that it may subscribe to. */
export const broadcastAccess = z.object({ clientId: z.string(), username: z.string(), topic: z.string() });

/** Live video that can be played for a few minutes. */
export const liveVideo = z.object({ protocol: z.literal('HLS'), url: z.string(), expiresAt: z.string() });

/** Where live video can be played; `playback` is `null`, with the reason, when the device has no video stream. */
export const playbackMessage = z.object({
  type: z.literal('share.playback'),
  playback: z.nullable(liveVideo),
  code: z.optional(z.literal('no_video_stream')),
  error: z.optional(z.string()),
});
export type PlaybackMessage = z.output<typeof playbackMessage>;

/** The beginning of the flight that a device is in; metres above mean sea level. */
export const flightTakeOff = z.object({ timestamp: z.string(), altitude: z.number() });

/** Where the device flies to, and what it does there. */
export const flownPlace = z.object({ coordinates: routePoint, actionOnArrival: z.enum(actions) });

/** The shared device, its job, and the flight that it is in, oldest point first; no points when it is not in flight. */
export const flightMessage = z.object({
  type: z.literal('share.flight'),
  deviceName: z.string(),
  /** The job that the last sample names, if it is one of the organisation. */
  jobName: z.optional(z.string()),
  /** Of a job in flight that has one. */
  place: z.optional(flownPlace),
  /** From where the flight began to that place, if its way is known. */
  route: z.optional(z.array(routePoint)),
  takeOff: z.optional(flightTakeOff),
  track: z.array(trackPoint),
});
export type FlightMessage = z.output<typeof flightMessage>;

/** Sent to the viewers of a share when the status of a command that came through it changes. */
export const controlOutcomeMessage = z.object({
  type: z.literal('control.outcome'),
  /** The `requestId` of the reply `accepted`. */
  requestId: z.string(),
  deviceId: z.string(),
  /** The name of the command. */
  name: z.string(),
  outcome: z.enum(laterStatuses),
  /** Why the command was refused or failed, if the platform reports it. */
  reason: z.optional(commandReason),
  /** Time of the outcome; ISO 8601 in UTC. */
  timestamp: z.string(),
});
export type ControlOutcomeMessage = z.output<typeof controlOutcomeMessage>;
