import { inspect } from 'node:util';
import { changeCommand, keepLateOutcome } from '../../data/commands/command-changes';
import { findCommand, readCommand } from '../../data/commands/commands';
import { findDevice } from '../../data/fleet/devices';
import { findPartner } from '../../data/access/partners';
import { saveCheckReport } from '../../data/missions/check-reports';
import { type TableName, tableNames } from '../../domain/values/table-names';
import { acme, id, sampleJob, sampleShare } from '../domain/fixtures/samples';
import { storeOnEngine } from './fixtures/engine';
import { parseChange } from '../../data/channels/stream-records';
import { insertJob, findStoredJob } from '../../data/jobs/jobs';
import { insertShare } from '../../data/shares/shares';
import { toPlatformEvent } from '../../domain/platform/platform-event';
import { eventsBetween, buildSnapshot } from '../../domain/channels/status-event';
import { now, operations } from './fixtures/operations';
import { record } from './fixtures/stream-record';

describe('Internal keys', () => {
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
});

describe('Who created a job or a share', () => {
  const engine = storeOnEngine(...tableNames);
  const creator = { organisation: acme, clientId: 'the-creator' };

  const given = async () => {
    await insertJob(creator, sampleJob());
    await insertShare(creator, sampleShare());
    const [job = {}] = await engine.all('jobs');
    const [share = {}] = await engine.all('shares');
    return { job, share };
  };

  test('is stored with it, for operators', async () => {
    const { job, share } = await given();
    expect([job['createdBy'], share['createdBy']]).toEqual(['the-creator', 'the-creator']);
    await expect(findStoredJob(acme, id('job'))).resolves.toMatchObject({ createdBy: 'the-creator' });
  });

  test.each(operations)('is not returned by %s', async (_, run) => {
    await given();
    const returned = await run().catch((error: unknown) => error);
    expect(inspect(returned, { depth: null })).not.toContain('the-creator');
  });

  test.each(['job', 'share'] as const)('is in no message and no event of a %s', async (kind) => {
    const item = (await given())[kind];
    const keys = { organisation: acme, ...(kind === 'job' ? { jobId: id('job') } : { shareCode: id('share') }) };
    const after = { ...item, version: 9, status: 'CANCELLED', currentViewers: 7 };
    const images = [
      [undefined, item],
      [item, after],
      [item, undefined],
    ] as const;
    for (const [before, later] of images) {
      const change = parseChange(record(keys, before, later));
      if (!change) throw new Error('the record has no change');
      const sent = [
        eventsBetween(change, now),
        buildSnapshot(change, now),
        toPlatformEvent(change, now, () => 'digest'),
      ];
      expect(sent.flat().filter(Boolean).length).toBeGreaterThan(0);
      expect(JSON.stringify([change, sent])).not.toContain('the-creator');
    }
  });
});
