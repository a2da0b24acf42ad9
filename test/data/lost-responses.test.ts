import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import { DeleteCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { mockClient } from 'aws-sdk-client-mock';
import { registerOrganisation } from '../../data/access/organisations';
import {
  addApiKey,
  insertPartner,
  replaceApiKeys,
  retireApiKey,
  setLimits,
  setPartnerStatus,
  suspendWithTokens,
  withdrawApiKey,
} from '../../data/access/partners';
import { removeMission, findMission, insertMission, insertVersion } from '../../data/missions/missions';
import { tableNames } from '../../domain/values/table-names';
import { acme, id, samplePartner } from '../domain/fixtures/samples';
import { storeOnEngine } from './fixtures/engine';
import { missionBucket } from './fixtures/mission-bucket';
import { now, operations } from './fixtures/operations';
import { store } from './fixtures/store';

process.env['VIEWER_COUNT_QUEUE_URL'] = 'https://sqs.eu-central-1.amazonaws.com/123456789012/counts';
process.env['MAX_WAITING_CALLS'] = '20';

jest.mock('node:crypto', () => ({
  ...jest.requireActual<object>('node:crypto'),
  randomUUID: () => '00000000-0000-4000-8000-000000000000',
  randomBytes: (size: number) => Buffer.alloc(size),
}));

jest.mock('../../data/store/new-id', () => ({
  ...jest.requireActual<object>('../../data/store/new-id'),
  newOrganisation: () => acme,
}));

/**
 * Writes whose first response is lost: the SDK sends each again, and DynamoDB finds it done. A transaction has a token,
 * by which DynamoDB tells a repeat.
 */
const engine = storeOnEngine(...tableNames);

const timers = [
  'setTimeout',
  'clearTimeout',
  'setInterval',
  'clearInterval',
  'setImmediate',
  'clearImmediate',
] as const;
const others = ['nextTick', 'queueMicrotask', 'performance', 'hrtime'] as const;
const bucket = missionBucket();
const queue = mockClient(SQSClient);
beforeEach(() => {
  // Moments are compared; pauses pass as they do.
  jest.useFakeTimers({ now: new Date(now), doNotFake: [...timers, ...others] });
  queue.reset();
  queue.resolves({});
});
afterEach(() => jest.useRealTimers());

const commands = { DeleteCommand, PutCommand, UpdateCommand };

/** From now on each write that succeeds is sent so often, and the last response is the one that arrives. */
function send(attempts: 1 | 2): void {
  for (const [name, command] of Object.entries(commands)) {
    const answer = async (input: object, attempt: number) => {
      // On a busy machine the SDK may have sent it more often indeed.
      const $metadata = { attempts: attempt };
      try {
        return { ...(await engine.answers(name as keyof typeof commands)(input)), $metadata };
      } catch (error) {
        throw error instanceof ConditionalCheckFailedException ? Object.assign(error, { $metadata }) : error;
      }
    };
    store.on(command as typeof PutCommand).callsFake(async (input: object) => {
      if (attempts > 1) await answer(input, 1);
      return answer(input, attempts);
    });
  }
}

/** What an operation returned or threw, what it sent to a queue, and all that is stored after it. */
async function outcomeOf(run: () => Promise<unknown>) {
  const messagesBefore = queue.calls().length;
  const result = await run().then(shown, (error: unknown) => ({ error: String(error) }));
  const tables = await Promise.all(tableNames.map(async (name) => [name, await engine.all(name)] as const));
  const stored = { ...Object.fromEntries(tables), files: [...bucket.keys()] };
  return { result, stored, messages: queue.calls().length - messagesBefore };
}

/** A result without what differs from call to call. */
function shown(value: unknown) {
  if (typeof value === 'function') return 'a function';
  return typeof value === 'object' && value !== null && '$metadata' in value ? 'an answer' : value;
}

const missionId = id('mission');
const file = {
  mediaType: 'application/geo+json',
  line: { waypoints: [[8.5, 47.4] as const, [8.51, 47.4] as const], heightReference: 'JOB' },
} as const;
const ofMissions: typeof operations = [
  ['insertMission', () => insertMission(acme, missionId, file, Buffer.from('{}'), now)],
  ['insertVersion', async () => insertVersion(await findMission(acme, missionId), file, Buffer.from('{ }'), now)],
  ['deleteMission', () => removeMission(acme, missionId, now)],
];

const limits = { token: 5 };
const ofPartners: typeof operations = [
  ['registerOrganisation', () => registerOrganisation('Acme Survey', now)],
  ['insertPartner', () => insertPartner(samplePartner)],
  ['insertPartner of a client that exists', () => insertPartner({ ...samplePartner, apiKeyId: 'key9' })],
  ['setPartnerStatus', () => setPartnerStatus('client1', 'suspended')],
  ['suspendWithTokens', () => suspendWithTokens('client1', 1000)],
  ['addApiKey', () => addApiKey('client1', 'key2')],
  [
    'addApiKey and withdrawApiKey',
    async () => [await addApiKey('client1', 'key2'), await withdrawApiKey('client1', 'key2')],
  ],
  [
    'addApiKey and retireApiKey',
    async () => [await addApiKey('client1', 'key2'), await retireApiKey('client1', 'key1', 'key2')],
  ],
  ['replaceApiKeys', () => replaceApiKeys(samplePartner, 'key3')],
  ['setLimits', () => setLimits(samplePartner, limits)],
  ['setLimits to those of every client', () => setLimits(samplePartner, {})],
  [
    'setLimits twice',
    async () => [await setLimits(samplePartner, limits), await setLimits({ ...samplePartner, limits }, {})],
  ],
];

/** Those of which a second attempt changes something that is no matter, and why. */
const harmless: Readonly<Record<string, string>> = {
  countViewers: 'counts are numbered, and one number is left out',
  'addApiKey and withdrawApiKey': 'a rollback takes a key back, and asks for no result',
};

const all = [...operations, ...ofMissions, ...ofPartners];
const writes = all.filter(([name]) => !/^(find|list|read|expect|is[A-Z])/.test(name) && !Object.hasOwn(harmless, name));
const before: readonly [state: string, ...names: string[]][] = [
  ['nothing is there'],
  [
    'all is there',
    'insertJob',
    'insertShare',
    'insertCommand',
    'openSession',
    'follow',
    'takeConnectionSeat',
    'takeViewerSeat',
    'insertMission',
    'insertPartner',
  ],
];

describe.each(before)('When %s', (_, ...names) => {
  const given = all.filter(([name]) => names.includes(name));

  test.each(writes)('%s is done once, whether or not its first response arrives', async (__, run) => {
    for (const [, prepare] of given) await prepare();
    send(1);
    const once = await outcomeOf(run);
    await engine.clear();
    bucket.clear();
    for (const [, prepare] of given) await prepare();
    send(2);
    const { messages, ...twice } = await outcomeOf(run);
    expect(twice).toEqual({ result: once.result, stored: once.stored });
    // A count of viewers may be requested once more, but never once less.
    expect(messages).toBeGreaterThanOrEqual(once.messages);
  });
});
