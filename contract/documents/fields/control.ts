import { commandReasons } from '../../../domain/command-lifecycle';
import type { Fields } from '../field';

/** Fields of commands to drones. */
export const controlFields: Fields = {
  command: { description: 'The command. Fields other than `name` are passed on to the drone platform unchanged.' },
  outcome: {
    description:
      '`DELIVERED`: begun; `DONE`: achieved; `REFUSED`: not attempted; `FAILED`: attempted without success; `TIMED_OUT`: nobody knows; `SUPERSEDED`: a later command took its place.',
    examples: ['REFUSED'],
  },
  'AcceptedMessage.requestId': {
    description: 'Identifier of the command; its outcome has the same one.',
    examples: ['01kb1x5n2c4d6f8g0h2j4k6m8n'],
  },
  'Command.name': {
    description: 'Name of the command. The drone platform defines which ones its drones understand.',
    examples: ['RETURN_HOME'],
  },
  'ControlOutcomeMessage.deviceId': { description: 'The device that the command was for.' },
  'ControlOutcomeMessage.reason': {
    description:
      'Why the command was refused or has failed, if the platform says so. Others than the known values may appear: accept them.',
    known: Object.keys(commandReasons),
    examples: ['DEVICE_BUSY'],
  },
  'ControlOutcomeMessage.requestId': {
    description: 'The `requestId` with which the command was accepted.',
    examples: ['01kb1x5n2c4d6f8g0h2j4k6m8n'],
  },
  'ControlOutcomeMessage.timestamp': {
    description: 'Time of the outcome. ISO 8601 in UTC.',
    examples: ['2026-11-27T10:30:15.123Z'],
    format: 'date-time',
  },
};
