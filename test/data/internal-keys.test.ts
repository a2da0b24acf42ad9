import { changeCommand, keepLateOutcome } from '../../data/commands/command-changes';
import { findCommand, readCommand } from '../../data/commands/commands';
import { findDevice } from '../../data/fleet/fleet';
import { findPartner } from '../../data/access/partners';
import { saveCheckReport } from '../../data/missions/mission-checks';
import type { TableName } from '../../domain/values/table';
import { acme, id } from '../domain/fixtures/samples';
import { storeOnEngine } from './fixtures/engine';

const engine = storeOnEngine('commands', 'requests', 'partners', 'fleet');
const at = '2026-11-27T10:30:00.000Z';
const deviceId = id('device');

/** Items of this service's own beside those whose key comes from outside. */
const internal: [table: TableName, item: object][] = [
  ['commands', { deviceId, commandId: 'head', sequence: 7, revision: 3, ending: id('command') }],
  ['requests', { id: 'calls#client1#1795775400', calls: 3, ttl: 4e9 }],
  ['partners', { clientId: `org-${acme}`, organisation: acme, name: 'Acme', createdAt: at, status: 'active' }],
  ['fleet', { fleetPartition: acme, id: id('group'), kind: 'group', deviceGroupId: id('group'), eventTime: at }],
];
const head = { deviceId, commandId: 'head' };

/** What is done with an identifier from outside that is the key of such an item: it is unknown. */
const acts: [what: string, act: () => Promise<unknown>, outcome: unknown][] = [
  ['the outcome of a command', () => changeCommand(head, { status: 'DONE', at, changeId: 'a' }), 'unknown'],
  ['its delivery', () => changeCommand(head, { status: 'DELIVERED', at, changeId: 'a' }), 'unknown'],
  ['a late outcome', () => keepLateOutcome(head, { outcome: 'DONE', at }, 'a'), false],
  ['a command that is read', () => readCommand(head), undefined],
  ['a command that a partner asks for', () => findCommand(acme, head).catch(String), 'Refusal: command_not_found'],
  ['the client of a token', () => findPartner(`org-${acme}`), undefined],
  [
    'the report of a check',
    async () => void (await saveCheckReport('calls#client1#1795775400', { findings: [] }, new Date(at))),
    undefined,
  ],
  ['the device of a command', () => findDevice(acme, id('group')).catch(String), 'Refusal: resource_not_found'],
];

test.each(acts)('%s with the key of an internal item is of nothing, and leaves the item', async (_, act, outcome) => {
  for (const [table, item] of internal) await engine.put(table, item);
  expect(await act()).toEqual(outcome);
  for (const [table, item] of internal) expect(await engine.get(table, item)).toEqual(item);
});
