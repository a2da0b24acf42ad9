import type { ControlOutcomeMessage } from '../contract/telemetry';
import type { ShareStatusMessage } from '../domain/status-message';
import type { DeviceState } from '../domain/telemetry';
import type { ErrorCode } from './error-text';

/** State of the share: the first message, again when the number of viewers changes, and the last one when it ends. */
export type ShareStatus = ShareStatusMessage & {
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

/** Answer to a message of the page, with the `id` of that message. */
export interface Answer {
  readonly type: 'accepted' | 'error' | 'pong' | 'heartbeat';
  readonly id?: string;
  readonly requestId?: string;
  readonly code?: ErrorCode;
}

/** Outcome of a command, by the `requestId` of its answer `accepted`. */
export type ControlOutcome = ControlOutcomeMessage;

export type Message = ShareStatus | Telemetry | Playback | Answer | ControlOutcome;

const types: readonly string[] = [
  ...['share.status', 'device.telemetry', 'share.playback', 'control.outcome'],
  ...['accepted', 'error', 'pong', 'heartbeat'],
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
