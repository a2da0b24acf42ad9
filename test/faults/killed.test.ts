import { MAX_CONNECTIONS } from '../../contract/channels/status-channels';
import { topicName } from '../../contract/terms/channel-addresses';
import { Client } from '../api/client';
import { givenShare, jobNow } from '../api/given';
import { readStackFile } from './inject-faults';
import { subscribe } from '../channels/mqtt-client';
import { seatsTaken } from '../channels/seats';
import { follow } from '../channels/socket';
import { openTelemetry, publish, sampleOf, watch } from '../channels/telemetry-socket';
import { until } from '../channels/until';
import { openTelemetryAgain, secondsUntil, statusOf, viewersOf, watchAgain } from './recovery';
import { create, creation, stepsShown, steps, walk, type Chain, type Creation } from './writes';
import { killableStack, type KillableStack } from './killable-stack';

/** `ROUNDS=20 npm run test:faults -- test/faults/killed.test.ts` measures; two rounds detect a regression. */
const ROUNDS = Number(process.env['ROUNDS'] ?? 2);

/** Per organisation, of which there are two: 200 writes together. */
const CHAINS = 10;
const JOBS = 25;
const SHARES = 5;
const WRITES = 2 * (CHAINS * steps.length + JOBS + SHARES);

const VIEWERS = 3;
const AGAIN = 2;

let stack: KillableStack;
let partners: readonly Client[];

beforeAll(async () => {
  stack = await killableStack();
  await stack.start();
  process.env['STACK_FILE'] = stack.stackFile;
  partners = readStackFile()
    .filter(({ scopes }) => scopes.length > 1)
    .map((credentials) => new Client(credentials));
});
afterAll(async () => {
  await stack.remove();
});

const channelOf = ({ jobId }: Chain) => ({ kind: 'job', id: jobId }) as const;

async function givenChain(client: Client): Promise<Chain> {
  const made = creation(client, 'job');
  expect(await create(made)).toBe(201);
  return { client, jobId: made.id ?? '', acknowledged: 0 };
}

test.each(Array.from({ length: ROUNDS }, (_, index) => index + 1))(
  'SIGKILL during 200 writes loses no acknowledged write, and all counts are correct within 60 s: round %d',
  async (round) => {
    const [first, second] = partners;
    if (!first || !second) throw new Error('the stack has two partners with all scopes');
    const [reporting, silent] = first.credentials.deviceGroups[0]?.devices ?? [];

    // Followers, viewers, devices that report, and all seats taken.
    const chains = await Promise.all(
      [first, second].flatMap((client) => Array.from({ length: CHAINS }, () => givenChain(client))),
    );
    const any = { kind: 'job', id: chains[0]?.jobId ?? '' } as const;
    const [mine, theirs] = [chains.slice(0, 5), chains.slice(CHAINS, CHAINS + 5)];
    for (const chain of [...mine, ...theirs]) await (await follow(chain.client, channelOf(chain))).first(1);
    await subscribe(first, ...mine.map((chain) => topicName(channelOf(chain))));
    await subscribe(second, ...theirs.map((chain) => topicName(channelOf(chain))));
    const { shareCode } = await givenShare(first, { maxViewers: VIEWERS });
    await Promise.all(Array.from({ length: VIEWERS }, () => watch(shareCode)));
    const device = await openTelemetry(first);
    await publish(device, sampleOf(reporting?.deviceId ?? ''), sampleOf(silent?.deviceId ?? ''));
    const rest = Array.from({ length: MAX_CONNECTIONS - mine.length - 1 }, () => follow(first, any));
    await Promise.all(rest);
    expect(await seatsTaken(first)).toBe(MAX_CONNECTIONS);

    // Kill the stack during 200 writes.
    const creations: Creation[] = [first, second].flatMap((client) => [
      ...Array.from({ length: JOBS }, () => creation(client, 'job')),
      ...Array.from({ length: SHARES }, () => creation(client, 'share')),
    ]);
    let acknowledged = 0;
    const acknowledge = () => (acknowledged += 1);
    const work = [
      ...chains.map((chain) => walk(chain, acknowledge)),
      ...creations.map(async (one) => (await create(one)) === 201 && acknowledge()),
    ];
    const killAt = Math.ceil((0.1 + 0.8 * Math.random()) * WRITES);
    const settled = Promise.allSettled(work);
    await Promise.race([
      settled,
      until('reaching the number of writes', () => (acknowledged >= killAt ? true : undefined)),
    ]);
    await stack.kill();
    await settled;
    expect(acknowledged).toBeLessThan(WRITES);
    const before = creations.map(({ id }) => id);
    await stack.start();
    const since = Date.now();

    // Acknowledged writes are stored, or a later state.
    for (const chain of chains) expect(await stepsShown(chain)).toBeGreaterThanOrEqual(chain.acknowledged);
    for (const { client, kind, id } of creations.filter((one) => one.id !== undefined)) {
      const found =
        kind === 'job'
          ? await client.call('GET /v3/jobs/{jobId}', { path: { jobId: id ?? '' } })
          : await client.call('GET /v3/shares/{shareCode}', { path: { shareCode: id ?? '' } });
      expect(found.status).toBe(200);
    }

    // A client has a seat again and publishes.
    const again = await openTelemetryAgain(first, since);
    await publish(again.socket, sampleOf(reporting?.deviceId ?? ''));
    const reports = setInterval(() => {
      again.socket.send({ action: 'publish', telemetry: sampleOf(reporting?.deviceId ?? '') });
    }, 5000).unref();

    // Reconnecting clients receive the current state; all other seats are free; viewers and devices are correct.
    const listeners = [
      await subscribe(first, ...mine.map((chain) => topicName(channelOf(chain)))),
      await subscribe(second, ...theirs.map((chain) => topicName(channelOf(chain)))),
    ];
    const isDelivered = async () => {
      for (const [index, part] of [mine, theirs].entries())
        for (const { client, jobId } of part) {
          const last = listeners[index]?.messages.filter((message) => message['jobId'] === jobId).at(-1);
          if (last?.['jobState'] !== (await jobNow(client, jobId)).status) return false;
        }
      return true;
    };
    const areDevicesCorrect = async () =>
      (await statusOf(first, reporting?.deviceId)) === 'online' &&
      (await statusOf(first, silent?.deviceId)) === 'offline';
    const viewers = watchAgain(shareCode, AGAIN, since);
    const isCounted = async () => {
      await viewers;
      return (await viewersOf(first, shareCode)) === AGAIN;
    };
    const [mqtt, counted, devices, seats] = await Promise.all([
      secondsUntil('receiving over MQTT', since, isDelivered),
      secondsUntil('counting viewers', since, isCounted),
      secondsUntil('detecting online devices', since, areDevicesCorrect),
      secondsUntil('releasing seats', since, async () => (await seatsTaken(first)) === 1),
      ...theirs.map(async (chain) => {
        const socket = await follow(second, channelOf(chain));
        const { status } = await jobNow(second, chain.jobId);
        expect(await socket.first(1)).toMatchObject([{ snapshot: true, jobState: status }]);
      }),
    ]);
    clearInterval(reports);

    // Unacknowledged creations are stored once when repeated with their key.
    for (const one of creations) expect(await create(one)).toBe(201);
    creations.forEach(({ id }, index) => before[index] !== undefined && expect(id).toBe(before[index]));
    for (const client of [first, second]) {
      const own = creations.filter((one) => one.client === client && one.kind === 'job');
      const { body } = await client.call('GET /v3/jobs', { query: { limit: '100' } });
      const names = new Map(own.map(({ name }) => [name, 0]));
      for (const { name } of body.jobs) names.set(name, (names.get(name) ?? 0) + 1);
      expect(own.map(({ name }) => names.get(name))).toEqual(own.map(() => 1));
    }
    process.stdout.write(
      `round ${round}: killed after ${acknowledged} of ${WRITES} acknowledged writes, none lost; consistent after s: ` +
        `MQTT ${mqtt}, first socket ${again.seconds}, viewers ${counted}, devices ${devices}, all seats ${seats}\n`,
    );
  },
);
