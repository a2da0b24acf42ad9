import { commandNames } from '../../../domain/commands/command';
import { commandStatuses, isEnded } from '../../../domain/commands/command-lifecycle';
import { readGuide, rowsBelow } from '../../guides/read/guide';

const guide = readGuide('steer');
const namesIn = (cell = '') => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name);

test('the guide to steering has every command', () => {
  const names = rowsBelow(guide, 'Send it elsewhere, and let it go on').flatMap(([cell]) => namesIn(cell));
  expect(names).toEqual([...commandNames, 'x-…']);
});

test('the guide to steering has every status of a command, and says which are final', () => {
  const rows = rowsBelow(guide, 'Pause it').map(([status, , then]) => [namesIn(status)[0], then === 'final']);
  expect(rows).toEqual(commandStatuses.map((status) => [status, isEnded(status)]));
});
