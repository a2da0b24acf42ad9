import * as actions from '../../contract/channels/sockets.actions';
import { didYouMean } from '../../contract/terms/did-you-mean';
import { webSocketActions } from '../../contract/websocket-actions';
import { Refusal } from '../../domain/values/refusal';
import { answer } from '../sockets/action';

/** Longest part of an unknown action's name that is sent back, in characters. */
const MAX_NAME = 64;

const names = Object.keys(webSocketActions);

/** Routes `ping` and `$default`: every message whose action has no route of its own. */
export const handler = answer('ping', actions.ping, ({ message: { action }, now }) => {
  if (action === 'ping') return Promise.resolve({ type: 'pong', timestamp: now.toISOString() });
  const name = action.slice(0, MAX_NAME);
  const message = `${JSON.stringify(name)} is no action${didYouMean(name, names)}`;
  return Promise.reject(new Refusal('unknown_action', [{ path: 'action', message }]));
});
