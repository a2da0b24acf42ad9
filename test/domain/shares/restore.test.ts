import {
  hasVersions,
  nextVersion,
  restorableTables,
  decideRestoration,
  restoreMarks,
  type RestorableTable,
  type Restoration,
  type RestoreInput,
  type StoredItem,
} from '../../../domain/shares/restoration';
import { lifecycle, jobStatuses, isFinal } from '../../../domain/jobs/job-lifecycle';

const at = '2026-11-27T12:00:00.000Z';
const later = '2026-11-27T13:00:00.000Z';
const job = { jobId: 'job-1', name: 'Round', status: 'PENDING', organisationStatus: 'acme#PENDING', version: 1 };
const share = { shareCode: 'share-1', maxViewers: 10, currentViewers: 3, expiresAt: later, version: 4 };
const device = {
  id: 'device-1',
  kind: 'device',
  name: 'Kestrel',
  deviceGroupId: 'group-1',
  status: 'online',
  version: 9,
};
const removed = { id: 'device-1', kind: 'removed', eventTime: at, ttl: 1, version: 11 };
const partner = { clientId: 'client', name: 'Control room', status: 'active', apiKeyId: 'key-1', scopes: ['a'] };
const mission = { missionId: 'mission-1', version: 1, length: 8 };
const second = { flight: 'job#job-1', second: 1, ttl: Date.parse(later) / 1000 };

interface Case {
  readonly copy: StoredItem;
  readonly current?: StoredItem;
  readonly isNamed?: true;
  readonly expected: object;
}
const same = { kind: 'same' };
const kept = (because: string) => ({ kind: 'kept', because });
const changed = (...names: string[]) => ({ kind: 'changed', names });

const cases: Readonly<Record<RestorableTable, Readonly<Record<string, Case>>>> = {
  jobs: {
    'is as it was': { copy: job, current: job, expected: same },
    'has another name': { copy: job, current: { ...job, name: 'x', version: 2 }, expected: changed('name') },
    'has lost its metadata': { copy: { ...job, metadata: '{}' }, current: job, expected: changed('metadata') },
    'has a metadata that it did not have': {
      copy: job,
      current: { ...job, metadata: '{}' },
      expected: changed('metadata'),
    },
    'has come further': { copy: job, current: { ...job, status: 'QUEUED', version: 2 }, expected: same },
    'has come further under another name': {
      copy: job,
      current: { ...job, status: 'IN_PROGRESS', name: 'x', version: 3 },
      expected: changed('name'),
    },
    'was deleted': { copy: job, expected: kept('deleted') },
    'was deleted, and is named': { copy: job, isNamed: true, expected: { kind: 'again', again: {} } },
    'was cancelled, and is named': {
      copy: job,
      current: { ...job, status: 'CANCELLED', cancelledAt: at, version: 2 },
      isNamed: true,
      expected: changed('status', 'cancelledAt'),
    },
    'had ended, and was deleted': { copy: { ...job, status: 'COMPLETED' }, expected: kept('deleted') },
    'had ended, and is as it was': {
      copy: { ...job, status: 'FAILED' },
      current: { ...job, status: 'FAILED' },
      expected: same,
    },
    'had ended, and has another name': {
      copy: { ...job, status: 'FAILED' },
      current: { ...job, status: 'FAILED', name: 'x' },
      expected: kept('FAILED'),
    },
    ...Object.fromEntries(
      jobStatuses
        .filter(isFinal)
        .map((status) => [
          `is ${status} since`,
          { copy: job, current: { ...job, status, version: 4 }, expected: kept(status) },
        ]),
    ),
  },
  shares: {
    'is as it was, with other viewers': {
      copy: share,
      current: { ...share, currentViewers: 9, version: 8 },
      expected: same,
    },
    'has other places': { copy: share, current: { ...share, maxViewers: 1 }, expected: changed('maxViewers') },
    'has lost its commands': {
      copy: { ...share, commands: ['HOVER'] },
      current: share,
      expected: changed('commands'),
    },
    'was revoked': { copy: share, expected: kept('deleted') },
    'was revoked, and is named': {
      copy: share,
      isNamed: true,
      expected: { kind: 'again', again: { currentViewers: 0 } },
    },
    'has expired': { copy: { ...share, expiresAt: at }, isNamed: true, expected: same },
    'was to expire later': { copy: share, current: { ...share, expiresAt: at }, expected: kept('EXPIRED') },
  },
  fleet: {
    'has reported since': { copy: device, current: { ...device, status: 'offline', version: 99 }, expected: same },
    'is in another group': {
      copy: device,
      current: { ...device, deviceGroupId: 'x' },
      expected: changed('deviceGroupId'),
    },
    'was removed': { copy: device, current: removed, expected: kept('deleted') },
    'was removed long ago': { copy: device, expected: kept('deleted') },
    'had been removed': { copy: removed, isNamed: true, expected: same },
    'was removed, and is named': {
      copy: { ...device, eventTime: '2026-11-27T08:00:00.000Z' },
      current: removed,
      isNamed: true,
      expected: { kind: 'again', again: { status: 'offline', lastState: null, quiet: null, ttl: null, eventTime: at } },
    },
  },
  partners: {
    'is suspended since': {
      copy: partner,
      current: { ...partner, status: 'suspended' },
      isNamed: true,
      expected: same,
    },
    'has another key since': {
      copy: partner,
      current: { ...partner, apiKeyId: 'key-2' },
      isNamed: true,
      expected: same,
    },
    'has lost scopes': { copy: partner, current: { ...partner, scopes: [] }, expected: changed('scopes') },
    'was offboarded': { copy: partner, expected: kept('deleted') },
    'was offboarded, and is named': {
      copy: partner,
      isNamed: true,
      expected: { kind: 'again', again: { status: 'suspended' } },
    },
  },
  missions: {
    'is as it was': { copy: mission, current: mission, expected: same },
    'was replaced by another file': {
      copy: mission,
      current: { ...mission, version: 2, length: 9 },
      expected: changed('length', 'version'),
    },
    'was deleted': { copy: mission, expected: kept('deleted') },
    'was deleted, and is named': { copy: mission, isNamed: true, expected: { kind: 'again', again: {} } },
  },
  flights: {
    'is there': { copy: second, current: second, expected: same },
    'was lost': { copy: second, expected: { kind: 'again', again: {} } },
    'was lost, and would have expired': { copy: { ...second, ttl: 1 }, expected: same },
  },
};

const decide = (table: RestorableTable, input: Omit<RestoreInput, 'at' | 'differs'>): Restoration =>
  decideRestoration(table, {
    ...input,
    at,
    differs: (name) => JSON.stringify(input.copy[name]) !== JSON.stringify(input.current?.[name]),
  });

describe.each(restorableTables)('An item of %s that', (table) => {
  test.each(Object.entries(cases[table]))('%s', (_, { copy, current, isNamed = false, expected }) => {
    expect(decide(table, { copy, current, isNamed })).toMatchObject(expected);
  });
});

test('no job moves back, and none that has ended moves, unless it is named', () => {
  for (const was of jobStatuses)
    for (const is of jobStatuses) {
      const current = { ...job, name: 'x', status: is };
      const restoration = decide('jobs', { copy: { ...job, status: was }, current, isNamed: false });
      expect([was, is, restoration]).toEqual([
        was,
        is,
        lifecycle[is].next.length === 0 ? kept(is) : expect.objectContaining({ names: ['name'] }),
      ]);
    }
});

test('the version of an item that is put back is above any that is known', () => {
  expect(nextVersion([undefined, 3, '7', 0])).toBe(8);
  expect(nextVersion([])).toBe(1);
});

test('the platform hears of a job that is put back, also when it had reported it', () => {
  expect(restoreMarks('jobs', at)).toEqual({
    restoredAt: at,
    updatedAt: at,
    changeId: `restore/${at}`,
    changedBy: null,
  });
  expect(restorableTables.filter(hasVersions)).toEqual(['jobs', 'shares', 'fleet']);
});
