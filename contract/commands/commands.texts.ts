import { commandNames, commandOrigins, type KnownCommand } from '../../domain/commands/command';
import { START_WITHIN_MS, timeoutBounds } from '../../domain/commands/command-timeout';
import { commandReasons } from '../../domain/commands/command-lifecycle';
import { LEASE_S } from '../../domain/commands/control-lease';
import type { Field, Fields, Objects } from '../terms/field';
import { identifier } from '../terms/common.texts';

const listed = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ');

const name: Field = {
  description: `Name of the command: ${listed(commandNames)}, or a name that the drone platform defines, \`x-…\`.`,
  examples: ['GO_TO'],
};
const jobId: Field = {
  description: 'The job that the device flew, or that the request named. Left out without a job.',
  examples: ['job-7k2m9qx4-01kb1x5m9v3f8q2r7t6w4y0z1a'],
  ...identifier,
};
const jobOfRequest: Field = {
  ...jobId,
  description:
    'The job that the device flies: another device’s is refused. Without it, or when that job has ended, the service fills in the one that the device says it flies.',
};
const status: Field = {
  description:
    '`REQUESTED`: accepted, not yet begun. `DELIVERED`: the device has begun. `DONE`: achieved. `REFUSED`: not attempted. `FAILED`: attempted without success. ' +
    '`TIMED_OUT`: there was no outcome in time, and nobody knows whether it was executed. `SUPERSEDED`: a later command took its place.',
  examples: ['DONE'],
};
const reason: Field = {
  description: `Why it was refused or has failed, if that is known. ${Object.entries(commandReasons)
    .map(([code, text]) => `\`${code}\`: ${text}`)
    .join(' ')} Others may be added: accept them.`,
  examples: ['DEVICE_BUSY'],
  known: Object.keys(commandReasons),
};
const origin: Field = {
  description: 'Who sent it: `partner`, a client of your organisation; `share`, a viewer; `service`, this service.',
  examples: ['partner'],
  known: commandOrigins,
};
const requestedBy: Field = {
  description:
    'The client id of the client that sent it. Of a viewer a pseudonym, the same for all commands of one connection.',
  examples: ['6b1o2p3q4r5s6t7u8v9w0x1y2z'],
};
const supersededBy: Field = {
  description: 'Of a command that is `SUPERSEDED`: the one that took its place, if it is known.',
  examples: ['command-7k2m9qx4-01kb1x6a4n6p8q0r2s4t6v8w0x'],
};
const lateOutcome: Field = {
  description: 'What the drone platform reported after the command had ended. `status` stays as it was.',
};
const height: Field = {
  description:
    'Height in metres above the take-off point, 1 to 500. Not together with an altitude in `position`. Without both the drone keeps its height.',
  examples: [60],
};
const speed: Field = {
  description: 'Speed over ground in metres per second, 0.5 to 50. Without it the drone platform chooses.',
  examples: [12],
};
const position: Field = {
  description:
    'A place: a GeoJSON point (RFC 7946) with longitude and latitude in degrees, and optionally the altitude in metres above mean sea level. ' +
    'It must be within the range of the device, if the platform has registered one.',
};

/** Fields of commands, and of what devices can do. */
export const commandFields: Fields = {
  commandId: {
    description: 'Identifier of the command, assigned by the service. Treat it as opaque.',
    examples: ['command-7k2m9qx4-01kb1x5n2c4d6f8g0h2j4k6m8n'],
    ...identifier,
  },
  commands: { description: 'The commands, newest first.', maxItems: 100 },
  control: { description: 'Who holds the control of the device.' },
  deliveredAt: {
    description: 'When the device began, as the drone platform reported it.',
    examples: ['2026-11-27T10:30:16.004Z'],
    format: 'date-time',
  },
  endBefore: {
    description: 'Without an outcome by then the command is `TIMED_OUT`.',
    examples: ['2026-11-27T10:35:15.123Z'],
    format: 'date-time',
  },
  endedAt: {
    description: 'When the command ended.',
    examples: ['2026-11-27T10:31:02.300Z'],
    format: 'date-time',
  },
  from: { description: 'The place from which the range is measured, usually the dock.' },
  heldBy: {
    description:
      'The client id of the client that holds the device. Of a viewer a pseudonym, the same as in `requestedBy` of its commands.',
    examples: ['6b1o2p3q4r5s6t7u8v9w0x1y2z'],
  },
  lateOutcome,
  metres: { description: 'How far the device flies from there, in metres.', examples: [5000] },
  origin,
  parameters: {
    description: 'The parameters of the command, as they were sent. Left out if there are none.',
    examples: [{ position: { type: 'Point', coordinates: [8.5417, 47.3769] }, height: 60 }],
  },
  radius: { description: 'Radius of the circle in metres, 1 to 1000.', examples: [30] },
  range: { description: 'How far the device flies.' },
  requestedAt: {
    description: 'When the service accepted the command.',
    examples: ['2026-11-27T10:30:15.123Z'],
    format: 'date-time',
  },
  requestedBy,
  shareId: {
    description: 'Of a viewer’s command: the share that it came through, without its code.',
    examples: ['9f86d081884c7d659a2feaa0c55ad015'],
  },
  startBefore: {
    description: `Until when the drone platform must begin it, at most ${START_WITHIN_MS / 1000} seconds after \`requestedAt\`: later it refuses it.`,
    examples: ['2026-11-27T10:30:25.123Z'],
    format: 'date-time',
  },
  supersededBy,
  until: {
    description: `When the control ends unless it is renewed: ${LEASE_S} seconds after it was taken or renewed last. ISO 8601 in UTC.`,
    examples: ['2026-11-27T10:31:15.123Z'],
    format: 'date-time',
  },
  timeoutSeconds: {
    description: `How long the command may take, in seconds, ${timeoutBounds.minimum} to ${timeoutBounds.maximum}: without an outcome by then it is \`TIMED_OUT\`. Default: 300 for \`GO_TO\`, \`ORBIT\`, \`RETURN_HOME\` and \`LAND\`, 30 for others.`,
    examples: [60],
  },
  yaw: { description: 'Degrees to the right of the drone’s nose, -180 to 180.', examples: [90] },
  ...Object.fromEntries(
    commandNames.flatMap((each): [string, Field][] => [
      [`${commandSchemaName(each)}.name`, { description: 'Which command it is.', examples: [each] }],
      [`${commandSchemaName(each)}.jobId`, jobOfRequest],
    ]),
  ),
  'Command.jobId': jobId,
  'Command.name': name,
  'Command.reason': reason,
  'Command.sequence': {
    description: 'Number of the command among those of its device. A later command has a higher one.',
    examples: [12],
    format: 'int64',
    minimum: 1,
  },
  'Command.status': status,
  'Command.version': {
    description: 'Grows by one with every change of the command.',
    examples: [3],
    format: 'int64',
    minimum: 1,
  },
  'CommandStatusMessage.name': name,
  'CommandStatusMessage.reason': reason,
  'CommandStatusMessage.sequence': {
    description: 'Version of the command; each command counts by itself, from 1.',
    examples: [3],
    format: 'int64',
    minimum: 1,
  },
  'CommandStatusMessage.status': status,
  'CommandStatusMessage.timestamp': {
    description: 'Time of the change. ISO 8601 in UTC.',
    examples: ['2026-11-27T10:31:02.300Z'],
    format: 'date-time',
  },
  'CommandStatusMessage.jobId': jobId,
  'CommandPosition.coordinates': {
    description:
      'Longitude (-180 to 180) and latitude (-90 to 90) in degrees, in this order, and optionally the altitude in metres above mean sea level (-500 to 9000).',
    examples: [[8.5417, 47.3769]],
  },
  'DeviceControl.origin': {
    description: 'Who holds it: `partner`, a client of your organisation, or `share`, a viewer.',
    examples: ['partner'],
  },
  'DeviceControl.shareId': {
    description: 'Of a viewer: the share that it holds the device through, without its code.',
    examples: ['9f86d081884c7d659a2feaa0c55ad015'],
  },
  'GimbalCommand.pitch': { description: 'Degrees up from the horizon, -90 to 90.', examples: [-30] },
  'GoToCommand.height': height,
  'GoToCommand.position': position,
  'GoToCommand.speed': speed,
  'LateOutcome.at': {
    description: 'When the drone platform says that it happened.',
    examples: ['2026-11-27T10:36:40.000Z'],
    format: 'date-time',
  },
  'LateOutcome.outcome': { description: 'What the platform reported; values as of `status`.', examples: ['DONE'] },
  'LateOutcome.reason': reason,
  'OrbitCommand.height': height,
  'OrbitCommand.speed': speed,
  'OwnCommand.jobId': jobOfRequest,
  'OwnCommand.name': {
    description: 'A name that the drone platform defines: `x-`, and up to 62 small letters, digits and hyphens.',
    examples: ['x-spotlight'],
  },
};

/** The name of the schema of a command: `GoToCommand`. */
export function commandSchemaName(command: string): string {
  const words = command.toLowerCase().split('_');
  return `${words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')}Command`;
}

/** What each command does. */
export const commandTexts: Readonly<Record<KnownCommand, string>> = {
  PAUSE: 'Stop, and hover until `RESUME`.',
  RESUME: 'Go on after `PAUSE`, or after `GO_TO`.',
  RETURN_HOME: 'End the flight: return and land.',
  LAND: 'End the flight: land where the drone is.',
  GO_TO: 'Fly to a place, and hover there until `RESUME`. It ends a pause.',
  ORBIT: 'Circle around a place.',
  LOOK_AT: 'Turn the camera to a place.',
  GIMBAL: 'Turn the camera. Needs `pitch` or `yaw`.',
  TAKE_PHOTO: 'Take a photo.',
  START_RECORDING: 'Begin to record video.',
  STOP_RECORDING: 'End the recording of video.',
};

/** Objects in replies, by the export of their schema: generated clients have a class for each. */
export const commandObjects: Objects = {
  command: 'A command to a device, with what has become of it.',
  lateOutcome: 'What the drone platform said of a command that had ended before.',
};
