import { START_WITHIN_MS } from '../../domain/commands/command-timeout';
import { asksForStop, commandRequest } from '../../domain/commands/command-request';
import { LEASE_S } from '../../domain/commands/control-lease';
import type { Endpoint } from '../terms/endpoint';
import { COMMANDS_PER_MINUTE, COMMANDS_OF_DEVICE_PER_MINUTE } from '../terms/rates';
import * as schemas from './commands.schemas';
import { messageReply, pageQuery } from '../terms/page.schemas';

// Endpoints for commands to devices in flight.

export const sendCommand = {
  summary: 'Send a command to a device in flight',
  description: () =>
    'Takes a command on, which is not yet its execution: follow `command.status` on the channel of its job or of its device group, or read it ' +
    'again. Every command ends, with `DONE` when it is achieved, not when it is begun.\n\n' +
    `The drone platform refuses a command that it could not begin within ${START_WITHIN_MS / 1000} seconds. One without an outcome within \`timeoutSeconds\` is ` +
    '`TIMED_OUT`: nobody knows whether it was executed. An outcome that comes later is in `lateOutcome`.\n\n' +
    'In flight is what the device reported last. `PAUSE`, `RETURN_HOME` and `LAND` are also taken while a job that names the device is `IN_PROGRESS`: ' +
    'it may have taken off since. `RETURN_HOME` and `LAND` are refused only for a device on the ground without such a job, and end as `SUPERSEDED` whatever is ' +
    'pending; while one of them has not ended, only it can be paused, resumed, or replaced by the other. All other commands need a device in flight. Without `jobId` the service fills in the job that the device flies.\n\n' +
    `A device takes ${COMMANDS_OF_DEVICE_PER_MINUTE} commands a minute of all clients; \`PAUSE\`, \`RETURN_HOME\` and \`LAND\` are not counted there. \`all\` scopes don’t include \`command:control\`: your operator grants it by name.`,
  scope: 'command:control',
  handler: 'commands/send-command',
  tag: 'Commands',
  perMinute: COMMANDS_PER_MINUTE,
  spares: asksForStop,
  idempotent: true,
  tables: { fleet: ['get'], jobs: ['get', 'query'], commands: ['get', 'put'] },
  request: { body: commandRequest },
  reply: { status: 202, body: schemas.commandReply },
  refusals: ['invalid_request', 'resource_not_found', 'job_not_found', 'cannot_command', 'held_by'],
} as const satisfies Endpoint;

export const listDeviceCommands = {
  summary: 'List the commands of a device, newest first',
  description:
    'Returns a page of the commands of a device, whoever sent them, for 90 days; also of a device that was removed since.',
  scope: 'command:read',
  handler: 'commands/list-device-commands',
  tag: 'Commands',
  tables: { commands: ['query'], fleet: ['get'] },
  request: { query: pageQuery },
  reply: { status: 200, body: schemas.commandsReply },
  refusals: ['invalid_request', 'resource_not_found'],
} as const satisfies Endpoint;

export const getCommand = {
  summary: 'Read a command',
  description: 'Returns a command as it is now.',
  scope: 'command:read',
  handler: 'commands/get-command',
  tag: 'Commands',
  tables: { commands: ['get'] },
  request: {},
  reply: { status: 200, body: schemas.commandReply },
  refusals: ['resource_not_found', 'command_not_found'],
} as const satisfies Endpoint;

export const listJobCommands = {
  summary: 'List the commands of a job, newest first',
  description:
    'Returns the newest hundred commands that devices got while they flew the job. Of a job without a `deviceId`: those of the devices that are in its group now.',
  scope: 'command:read',
  handler: 'commands/list-job-commands',
  tag: 'Commands',
  tables: { jobs: ['get'], fleet: ['query'], commands: ['query'] },
  request: {},
  reply: { status: 200, body: schemas.jobCommandsReply },
  refusals: ['job_not_found'],
} as const satisfies Endpoint;

export const holdControl = {
  summary: 'Hold the control of a device',
  description: () =>
    `Makes your client the only one that commands the device, for ${LEASE_S} seconds; call it again to go on holding it. Commands of others are 409 \`held_by\`, ` +
    'except `PAUSE` and `RETURN_HOME`, and `LAND` of your organisation’s clients. It takes the control from a viewer, but from no other client. ' +
    'When it ends, the flight goes on as it was. Nobody has to hold a device to command it: without a holder the last command wins.',
  scope: 'command:control',
  handler: 'commands/hold-control',
  tag: 'Commands',
  tables: { fleet: ['get'], commands: ['get', 'put'] },
  request: {},
  reply: { status: 200, body: schemas.controlReply },
  refusals: ['resource_not_found', 'held_by'],
} as const satisfies Endpoint;

export const releaseControl = {
  summary: 'Release the control of a device',
  description:
    'Ends what your client or a viewer holds; without a holder it changes nothing. Another client’s is 409 `held_by`. The flight goes on as it was.',
  scope: 'command:control',
  handler: 'commands/release-control',
  tag: 'Commands',
  tables: { fleet: ['get'], commands: ['get', 'put'] },
  request: {},
  reply: { status: 200, body: messageReply },
  refusals: ['resource_not_found', 'held_by'],
} as const satisfies Endpoint;

export const getControl = {
  summary: 'Read who holds the control of a device',
  description: 'Returns who holds the device now, and until when; without a holder only `deviceId`.',
  scope: 'command:read',
  handler: 'commands/get-control',
  tag: 'Commands',
  tables: { fleet: ['get'], commands: ['get'], shares: ['get'] },
  request: {},
  reply: { status: 200, body: schemas.controlReply },
  refusals: ['resource_not_found'],
} as const satisfies Endpoint;
