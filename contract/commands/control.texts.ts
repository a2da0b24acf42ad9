import { commandReasons } from '../../domain/commands/command-lifecycle';
import type { Fields, Objects } from '../terms/field';

/** Fields of commands to drones. */
export const controlFields: Fields = {
  command: { description: 'The command: its `name`, and its parameters beside it.' },
  outcome: {
    description:
      '`DELIVERED`: begun; `DONE`: achieved; `REFUSED`: not attempted; `FAILED`: attempted without success; `TIMED_OUT`: nobody knows; `SUPERSEDED`: a later command took its place.',
    examples: ['REFUSED'],
  },
  'AcceptedMessage.requestId': {
    description: 'Identifier of the command; its outcome has the same one.',
    examples: ['command-7k2m9qx4-01kb1x5n2c4d6f8g0h2j4k6m8n'],
  },
  'ControlOutcomeMessage.deviceId': { description: 'The device that the command was for.' },
  'ControlOutcomeMessage.name': { description: 'Name of the command.', examples: ['GIMBAL'] },
  'ControlOutcomeMessage.reason': {
    description:
      'Why the command was refused or has failed, if the platform says so. Others than the known values may appear: accept them.',
    known: Object.keys(commandReasons),
    examples: ['DEVICE_BUSY'],
  },
  'ControlOutcomeMessage.requestId': {
    description: 'The `requestId` with which the command was accepted.',
    examples: ['command-7k2m9qx4-01kb1x5n2c4d6f8g0h2j4k6m8n'],
  },
  'ControlOutcomeMessage.timestamp': {
    description: 'Time of the change. ISO 8601 in UTC.',
    examples: ['2026-11-27T10:30:15.123Z'],
    format: 'date-time',
  },
};

/** Objects in replies, by the export of their schema: generated clients have a class for each. */
export const controlObjects: Objects = {
  deviceControl: 'Who holds the control of a device. Without a holder it has only `deviceId`.',
};
