import type * as z from 'zod/mini';
import type { Channel, ChannelKind } from '../domain/status-event';
import { deviceStatusMessage, jobStatusMessage, shareStatusMessage } from '../domain/status-message';
import type { Scope } from './endpoint';

interface ChannelPromise {
  readonly summary: string;
  /** The scope that a subscriber needs. */
  readonly scope: Scope;
  /** What follows the identifier in the MQTT topic. */
  readonly topicSuffix: string;
  /** Path of the WebSocket connection, `{id}` standing for the identifier. */
  readonly path: string;
  readonly message: z.ZodMiniType;
}

/** The six channels of spec section 6: each kind over MQTTS and over WSS, with the same payload. */
export const channels = {
  job: {
    summary: 'Track a job',
    scope: 'command:read',
    topicSuffix: 'JOB/STATUS',
    path: '/v3/jobs/{id}/status/ws',
    message: jobStatusMessage,
  },
  group: {
    summary: 'Track the devices of a group',
    scope: 'resources:read',
    topicSuffix: 'DEVICE/STATUS',
    path: '/v3/devices/{id}/status/ws',
    message: deviceStatusMessage,
  },
  share: {
    summary: 'Track a share',
    scope: 'share:read',
    topicSuffix: 'SHARE/STATUS',
    path: '/v3/shares/{id}/status/ws',
    message: shareStatusMessage,
  },
} as const satisfies Record<ChannelKind, ChannelPromise>;

/** The MQTT topic of a channel: `<id>/JOB/STATUS`. */
export const topicOf = ({ kind, id }: Channel) => `${id}/${channels[kind].topicSuffix}`;

/** Most MQTT subscriptions and most WebSocket connections of one client at once (spec section 8). */
export const MAX_SUBSCRIPTIONS = 100;
export const MAX_CONNECTIONS = 50;

/**
 * Most handshakes of one client in a minute, granted or not. The specification has no such limit; without one, a client that
 * opens and closes sockets in a loop would use up what API Gateway lets all partners together open (500 a second).
 */
export const HANDSHAKES_PER_MINUTE = 120;
