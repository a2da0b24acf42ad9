import type { ControlOutcomeMessage } from '../contract/telemetry';
import type { ShareStatusMessage } from '../domain/status-message';
import type { DeviceState } from '../domain/telemetry';

/** The share itself: first of all messages, again when somebody comes or goes, and the last one when it ends. */
export type ShareStatus = ShareStatusMessage & {
  readonly shareType?: 'STREAM' | 'DEVICE_STATUS';
  readonly permissions?: readonly string[];
};

/** One sample of the shared device; `snapshot`: the last known state, not a new one. */
export type Telemetry = DeviceState & {
  readonly type: 'device.telemetry';
  readonly deviceId: string;
  readonly sequence?: number;
  readonly snapshot?: true;
};

/** Where the video is for now; `null` with the reason when there is none. */
export interface Playback {
  readonly type: 'share.playback';
  readonly playback: { readonly url: string; readonly expiresAt: string } | null;
  readonly error?: string;
}

/** Answer to something that the page has sent; `id` is that of the question. */
export interface Answer {
  readonly type: 'accepted' | 'error' | 'pong' | 'heartbeat';
  readonly id?: string;
  readonly requestId?: string;
  readonly error?: string;
  readonly details?: readonly { readonly message: string }[];
}

/** What became of a command, which its answer `accepted` gave the `requestId` of. */
export type ControlOutcome = ControlOutcomeMessage;

export type Message = ShareStatus | Telemetry | Playback | Answer | ControlOutcome;

const types: readonly string[] = [
  ...['share.status', 'device.telemetry', 'share.playback', 'control.outcome'],
  ...['accepted', 'error', 'pong', 'heartbeat'],
];

/** Reads what came over the socket; undefined for what this page has no use for, such as a type of a later version. */
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
