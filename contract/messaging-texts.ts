import { LEASE_S } from '../domain/commands/control-lease';
import { flownStatusesInWords } from './jobs/lifecycle-sentences';
import { MAX_TRACK_POINTS } from './telemetry/max-track-points';
import type { CarriedType, ChannelKind } from './channels/status-channels';
import { type WebSocketActionName } from './websocket-actions';
import { MAX_SAMPLES } from './telemetry/telemetry.actions';

/** What the documents say of an action or of a channel. */
export interface MessagingTexts {
  readonly summary: string;
  /** For partners, in Markdown: what a message does and what follows its reply; when a message comes. */
  readonly description: string;
}

/** By action; apart from the table of actions, which is in the bundle of every function of a socket. */
export const actionTexts: Readonly<Record<WebSocketActionName, MessagingTexts>> = {
  ping: {
    summary: 'Check that the connection works',
    description:
      'The answer is `pong`, with the service’s time as `timestamp`. An action that the channel does not know gets the error `unknown_action`.',
  },
  authenticate: {
    summary: 'Go on with a new token',
    description:
      'The socket then lasts as long as the new token, at most two hours from its handshake. The token must be of the client that opened the socket. Its scopes are in force from then on: a socket that needs a scope which it lacks is closed after the error `forbidden`, and without `resources:read` subscriptions to telemetry end (`subscriptionsEnded`).',
  },
  subscribe: {
    summary: 'Subscribe to the telemetry of a device or of a device group',
    description:
      'The reply is followed by the last known state of each device that ever reported, with `"snapshot": true`, then by `snapshot.end`, and then by every sample; with `"batch": true` those that arrive together come as one `device.telemetry.batch`. A device that is subscribed to twice is sent once. A subscription lasts as long as the socket.',
  },
  unsubscribe: {
    summary: 'End a subscription to telemetry',
    description: 'Ends the subscription to exactly this device or group, if there is one.',
  },
  publish: {
    summary: 'Publish telemetry of devices',
    description: `One sample, or a list of up to ${MAX_SAMPLES}, of devices of your organisation, each judged by itself: \`refused\` names those that are not accepted; when none is left the answer is an error. A late sample is not delivered, but its position is recorded. Wait for the reply before the next message if the order matters.`,
  },
  control: {
    summary: 'Send a command to the drone',
    description:
      'Needs a share with the permission `control`, whose `commands` include this one; without `commands` all but `LAND`. Names and parameters are those of `POST /v3/devices/{deviceId}/commands`. `accepted` means taken on, not executed: what becomes of the command reaches all viewers of the share as `control.outcome` with the same `requestId`.',
  },
  takeControl: {
    summary: 'Hold the control of the drone',
    description: `Needs a share with the permission \`control\`. For ${LEASE_S} seconds commands of other viewers are refused with \`held_by\`, except \`PAUSE\` and \`RETURN_HOME\`; send it again to go on holding it. The partner outranks you: it may command all the same, and take the control from you. It also ends with the socket and with the share. The flight goes on as it was.`,
  },
  releaseControl: {
    summary: 'Release the control of the drone',
    description: 'Ends what `takeControl` began. If nobody holds the drone, it changes nothing.',
  },
  playback: {
    summary: 'Get the address of the live video',
    description:
      'Needs a share of the type `STREAM`. The address works until its `expiresAt`, at most five minutes. The first one comes unasked.',
  },
  flight: {
    summary: 'Get the current flight of the shared device',
    description: `The names of the device and of its job, the take-off, and the track since then: a position every five seconds, at most ${MAX_TRACK_POINTS}, further apart in a long flight, up to the last known one. It is empty when the device is not in flight. With a job in flight that has a \`desiredLocation\`, also that \`place\`, and the \`route\` to it. Ask once: samples continue the track.`,
  },
};

/** By kind of status channel; apart from their table, which is in the bundle of every function that delivers. */
export const channelTexts: Readonly<Record<ChannelKind, MessagingTexts>> = {
  job: {
    summary: 'Track a job',
    description: `A message for each change of the job’s status. While the job is ${flownStatusesInWords} and a device reports that it flies it (\`jobId\` in its telemetry), also a message about once a second with the position of the device. Changes of other fields, such as the name, send nothing. Commands to the device that flies the job come as \`command.status\`. The final message has \`"deleted": true\`: the job was deleted.`,
  },
  group: {
    summary: 'Track the devices of a group',
    description:
      'A message when a device of the group comes online, goes offline (30 seconds without a report), is added or is removed (`"deleted": true`), and about once a second while it reports; and `command.status` for each change of a command to one of its devices. There is no final message: when the group itself is removed, nothing more comes. Over MQTT the topic retains only the latest change of any device; over WSS the first messages are the states of all devices of the group, one message each.',
  },
  share: {
    summary: 'Track a share',
    description:
      'A message when the number of viewers changes, at most once a second. The final message has the `shareState` `REVOKED` or `EXPIRED`.',
  },
};

/** By type: messages on channels of another type. */
export const carriedTexts: Readonly<Record<CarriedType, MessagingTexts>> = {
  'command.status': {
    summary: 'The status of a command has changed',
    description:
      'One for each change, on the channel of the job, if the command has one, and on that of the device group. It is not retained, and no snapshot has it: read the commands by REST after connecting. `sequence` is the version of the command.',
  },
};
