import { START_WITHIN_MS } from '../../domain/command';
import { commandRequest } from '../../domain/command-request';
import type { Endpoint } from '../endpoint';
import { COMMANDS_PER_MINUTE, COMMANDS_OF_DEVICE_PER_MINUTE } from '../rates';
import * as schemas from '../schemas/commands';
import { pageQuery } from '../schemas/page';

// Endpoints for commands to devices in flight.

export const sendCommand = {
  summary: 'Send a command to a device in flight',
  description: () =>
    'Takes a command on, which is not yet its execution: follow `command.status` on the channel of its job or of its device group, or read it ' +
    'again. Every command ends, with `DONE` when it is achieved, not when it is begun.\n\n' +
    `The drone platform refuses a command that it could not begin within ${START_WITHIN_MS / 1000} seconds. One without an outcome within \`timeoutSeconds\` is ` +
    '`TIMED_OUT`: nobody knows whether it was executed. An outcome that comes later is in `lateOutcome`.\n\n' +
    'In flight is what the device reported last. `RETURN_HOME` and `LAND` are refused only for a device on the ground, and end as `SUPERSEDED` whatever is ' +
    'pending; while one of them has not ended, only it can be paused, resumed, or replaced by the other. All other commands need a device in flight. Without `jobId` the service fills in the job that the device flies.\n\n' +
    `A device takes ${COMMANDS_OF_DEVICE_PER_MINUTE} commands a minute of all clients; \`PAUSE\`, \`RETURN_HOME\` and \`LAND\` are not counted there. \`all\` scopes don’t include \`command:control\`: your operator grants it by name.`,
  scope: 'command:control',
  handler: 'commands/send-command',
  perMinute: COMMANDS_PER_MINUTE,
  idempotent: true,
  tables: { fleet: ['get'], jobs: ['get'], commands: ['get', 'put'] },
  request: { body: commandRequest },
  reply: { status: 202, body: schemas.commandReply },
  refusals: ['invalid_request', 'resource_not_found', 'job_not_found', 'cannot_command'],
} as const satisfies Endpoint;

export const listDeviceCommands = {
  summary: 'List the commands of a device, newest first',
  description:
    'Returns a page of the commands of a device, whoever sent them, for 90 days; also of a device that was removed since.',
  scope: 'command:read',
  handler: 'commands/list-device-commands',
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
  tables: { commands: ['get'] },
  request: {},
  reply: { status: 200, body: schemas.commandReply },
  refusals: ['resource_not_found', 'command_not_found'],
} as const satisfies Endpoint;

export const listJobCommands = {
  summary: 'List the commands of a job, newest first',
  description:
    'Returns the newest hundred commands that devices got while they flew the job. It may lag behind, usually by less than a second.',
  scope: 'command:read',
  handler: 'commands/list-job-commands',
  tables: { jobs: ['get'], commands: ['query', 'batchGet'] },
  request: {},
  reply: { status: 200, body: schemas.jobCommandsReply },
  refusals: ['job_not_found'],
} as const satisfies Endpoint;

export const getCapabilities = {
  summary: 'Read what a device can do',
  description:
    'Returns the names of the commands that a device obeys and its range, as the drone platform registered them. What is left out is not known: then the platform ' +
    'alone decides about a command.',
  scope: 'resources:read',
  handler: 'resources/get-capabilities',
  tables: { fleet: ['get'] },
  request: {},
  reply: { status: 200, body: schemas.capabilitiesReply },
  refusals: ['resource_not_found'],
} as const satisfies Endpoint;
