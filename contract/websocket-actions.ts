import { authenticate, ping } from './channels/sockets.actions';
import { publish, subscribe, unsubscribe } from './telemetry/telemetry.actions';
import { control, flight, playbackAction, releaseControlAction, takeControl } from './shares/viewers.actions';
import type { WebSocketAction } from './terms/websocket-action';

/** Path of the telemetry endpoint below {ws_url} (spec section 6). */
export const TELEMETRY_PATH = '/telemetry';

/**
 * Every action that a client may send (DESIGN section 3). A function imports its own row only, not the table, so that it loads no
 * schemas of others.
 */
export const webSocketActions = {
  ping,
  authenticate,
  subscribe,
  unsubscribe,
  publish,
  control,
  takeControl,
  releaseControl: releaseControlAction,
  playback: playbackAction,
  flight,
} as const satisfies Record<string, WebSocketAction>;

export type WebSocketActionName = keyof typeof webSocketActions;
