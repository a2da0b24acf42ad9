import {
  commandStatuses,
  commandStatusesBefore,
  isEnded,
  type CommandStatus,
} from '../../../domain/commands/command-lifecycle';

/** Issue of commands, written out: an outcome may come before the delivery is known. */
const allowed: Readonly<Record<CommandStatus, readonly CommandStatus[]>> = {
  REQUESTED: [],
  DELIVERED: ['REQUESTED'],
  DONE: ['REQUESTED', 'DELIVERED'],
  REFUSED: ['REQUESTED', 'DELIVERED'],
  FAILED: ['REQUESTED', 'DELIVERED'],
  TIMED_OUT: ['REQUESTED', 'DELIVERED'],
  SUPERSEDED: ['REQUESTED', 'DELIVERED'],
};

test.each(commandStatuses)('%s follows only what may be before it', (status) => {
  expect(commandStatusesBefore(status)).toEqual(allowed[status]);
});

test('five statuses are final', () => {
  expect(commandStatuses.filter(isEnded)).toEqual(['DONE', 'REFUSED', 'FAILED', 'TIMED_OUT', 'SUPERSEDED']);
});
