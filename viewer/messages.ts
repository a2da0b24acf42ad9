import type { SocketErrorCode } from '../contract/refusals';
import type * as z from 'zod/mini';
import type { broadcastAccess, ControlOutcomeMessage } from '../contract/share-page';
import type { ShareStatusMessage } from '../domain/status-message';
import type { DeviceState } from '../domain/telemetry';

/** Codes of errors in messages over the socket. */
export type ErrorCode = SocketErrorCode | 'no_video_stream';

/** Where the samples of a share with many places are published. */
export type BroadcastAccess = z.output<typeof broadcastAccess>;

/** State of the share: the first message, again when the number of viewers changes, and the last one when it ends. */
export type ShareStatus = ShareStatusMessage & {
  readonly broadcast?: BroadcastAccess;
  readonly shareType?: 'STREAM' | 'DEVICE_STATUS';
  readonly permissions?: readonly string[];
};

/** One sample of the shared device; `snapshot`: its last known state. */
export type Telemetry = DeviceState & {
  readonly type: 'device.telemetry';
  readonly deviceId: string;
  readonly sequence?: number;
  readonly snapshot?: true;
};

/** Current address of the live video; `null` with a code when there is none. */
export interface Playback {
  readonly type: 'share.playback';
  readonly playback: { readonly url: string; readonly expiresAt: string } | null;
  readonly code?: ErrorCode;
}

/** The flight so far, and whose it is; a server of an earlier version answers with an error instead. */
export interface FlightInfo {
  readonly type: 'share.flight';
  readonly deviceName?: string;
  readonly jobName?: string;
  /** Metres above sea level; missing when the device is not in flight. */
  readonly takeOff?: { readonly timestamp: string; readonly altitude: number };
  /** Since the take-off, oldest first; longitude and latitude in degrees, altitude in metres, speed in metres per second. */
  readonly track: readonly {
    readonly timestamp: string;
    readonly coordinates: readonly [number, number, number];
    readonly groundSpeed?: number;
  }[];
}

/** Answer to a message of the page, with the `id` of that message. */
export interface Answer {
  readonly type: 'accepted' | 'error' | 'pong' | 'heartbeat';
  readonly id?: string;
  readonly requestId?: string;
  readonly code?: ErrorCode;
}

/** Outcome of a command, by the `requestId` of its answer `accepted`. */
export type ControlOutcome = ControlOutcomeMessage;

export type Message = ShareStatus | Telemetry | Playback | FlightInfo | Answer | ControlOutcome;

const types: readonly string[] = [
  'share.status',
  'device.telemetry',
  'share.playback',
  'share.flight',
  'control.outcome',
  'accepted',
  'error',
  'pong',
  'heartbeat',
];

/** Parses a message; undefined for a type that this page does not know, such as one of a later version. */
export function parseMessage(data: unknown): Message | undefined {
  if (typeof data !== 'string') return undefined;
  try {
    const message: unknown = JSON.parse(data);
    const known = typeof message === 'object' && message !== null && 'type' in message;
    return known && types.includes(String(message.type)) ? (message as Message) : undefined;
  } catch {
    return undefined;
  }
}
