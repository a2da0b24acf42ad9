import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { topicOf } from '../../contract/channels';
import type { FaultsFile } from '../../local/faults-file';
import type { Answer, Client } from '../api/client';
import { givenJob, jobNow } from '../api/given';
import type { Mqtt } from '../channels/mqtt-client';
import { connectMqtt, subscribe } from '../channels/mqtt-client';
import { follow, followFromSnapshot, type Socket } from '../channels/socket';
import { until } from '../channels/until';
import { befall } from './befall';
import { create, creation, stepsShown, walk, type Chain, type Creation } from './in-flight';

/** What a fault has left behind is put right by a heartbeat, which takes up to two minutes to see that it is there. */
export const RIGHT_WITHIN_MS = 125_000;

const CHAINS = 5;
const CREATIONS = 8;
/** For how long a fault stays although all writes have been answered, in ms. */
const AFTERWARDS_MS = 1000;

/** Somebody who follows a job, and connects anew when the socket is closed. */
interface Followed {
  readonly chain: Chain;
  socket: Socket;
}

const channelOf = ({ jobId }: Chain) => ({ kind: 'job', id: jobId }) as const;
const topics = (chains: readonly Chain[]) => chains.map((chain) => topicOf(channelOf(chain)));

/** A success, or an error in JSON that says that it is the service's and names the request: no other answer, and no silence. */
export function expectClear({ status, body }: Answer): void {
  if (status < 300) return;
  expect({ status, body }).toEqual({
    status: 500,
    body: { error: 'Internal server error', requestId: expect.stringMatching(/^[\w-]{8,}$/) as string },
  });
}

/**
 * Lets a partner write and follow while the stack has faults, and a stranger look on.
 * Fails unless every answer is a success or a clear error, what was acknowledged is there and told, in order, to everybody
 * who follows, what was refused can be repeated with the same key, and the stranger sees nothing.
 */
export async function drill(partner: Client, stranger: Client, faults: FaultsFile): Promise<void> {
  const chains = await Promise.all(
    Array.from({ length: CHAINS }, async () => {
      const made = creation(partner, 'job');
      expect(await create(made)).toBe(201);
      return { client: partner, jobId: made.id ?? '', acknowledged: 0 };
    }),
  );
  const followed: Followed[] = await Promise.all(
    chains.map(async (chain) => ({ chain, socket: await followFromSnapshot(partner, channelOf(chain)) })),
  );
  const listener = await subscribe(partner, ...topics(chains));
  const own = await givenJob(stranger);
  const onlooker = await follow(stranger, { kind: 'job', id: own.jobId });
  const refused = await foreign(stranger, chains);
  await Promise.all([onlooker.first(1), listener.first(CHAINS)]);

  befall(faults);
  const creations = Array.from({ length: CREATIONS }, (_, index) => creation(partner, index % 4 ? 'job' : 'share'));
  const statuses = await Promise.all([
    ...creations.map((one) => create(one, expectClear)),
    ...chains.map((chain) => walk(chain, undefined, expectClear).then(() => 200)),
    ...chains.map(({ jobId }) => look(stranger, jobId)),
  ]);
  for (const status of statuses) expect([200, 201, 403, 500]).toContain(status);
  await pause(AFTERWARDS_MS);
  befall({});

  await expectThere(chains, creations);
  // What was refused is done when it is said again.
  for (const chain of chains) {
    await walk(chain);
    expect(await jobNow(partner, chain.jobId)).toMatchObject({ status: 'CANCELLED', name: 'step 5' });
  }
  await expectTold(partner, followed, listener);
  await expectRetained(partner, chains);
  expect(refused).toEqual([]);
  // Heartbeats tell of no job.
  expect(onlooker.messages.filter(({ jobId }) => jobId !== undefined && jobId !== own.jobId)).toEqual([]);
}

/** Topics of another organisation that a stranger could subscribe to. */
async function foreign(stranger: Client, chains: readonly Chain[]): Promise<string[]> {
  const listening = await connectMqtt(stranger);
  const granted = await listening.subscribe(...topics(chains));
  return topics(chains).filter((_, index) => granted[index]);
}

/** A stranger looks at a job; gives the status of the answer. */
async function look(stranger: Client, jobId: string): Promise<number> {
  const answer = await stranger.call('GET /v3/jobs/{jobId}', { path: { jobId } });
  if (answer.status === 403) expect(answer.body).toEqual({ error: 'Forbidden' });
  else expect(answer.status).toBe(500);
  return answer.status;
}

/** What was acknowledged is there, and what is created again with its key is there once. */
async function expectThere(chains: readonly Chain[], creations: readonly Creation[]): Promise<void> {
  for (const chain of chains) expect(await stepsShown(chain)).toBeGreaterThanOrEqual(chain.acknowledged);
  const first = creations.map(({ id }) => id);
  for (const one of creations) expect(await create(one)).toBe(201);
  creations.forEach(({ id }, index) => expect(id).toBe(first[index] ?? id));
  const [{ client } = { client: undefined }] = creations;
  const jobs = await client?.call('GET /v3/jobs', { query: { limit: '100' } });
  const shares = await client?.call('GET /v3/shares');
  for (const { kind, name, id } of creations) {
    const found =
      kind === 'job'
        ? jobs?.body.jobs.filter((job) => job.name === name).map(({ jobId }) => jobId)
        : shares?.body.shares.filter(({ shareCode }) => shareCode === id).map(({ shareCode }) => shareCode);
    expect(found).toEqual([id]);
  }
}

/** Each follower hears the last state, in order; a socket that was closed begins again with the state as it is. */
async function expectTold(partner: Client, followed: readonly Followed[], listener: Mqtt): Promise<void> {
  for (const one of followed) {
    const { chain } = one;
    const { status: jobState } = await jobNow(partner, chain.jobId);
    const isTold = async () => {
      if (one.socket.socket.readyState > WebSocket.OPEN) one.socket = await follow(partner, channelOf(chain));
      if (one.socket.messages.some((message) => message['jobState'] === jobState)) return true;
      await pause(200);
      return undefined;
    };
    await until(`telling ${jobState} over WSS`, isTold, () => one.socket.texts, RIGHT_WITHIN_MS);
    expectInOrder(one.socket.messages);
    await until(
      `telling ${jobState} over MQTT`,
      () =>
        listener.messages.some((message) => message['jobId'] === chain.jobId && message['jobState'] === jobState) ||
        undefined,
      () => listener.texts,
      RIGHT_WITHIN_MS,
    );
    const own = listener.messages.filter((message) => message['jobId'] === chain.jobId);
    expectInOrder(own);
  }
}

/** In the order in which they came; heartbeats between them have no sequence. */
function expectInOrder(messages: readonly { readonly sequence?: number }[]): void {
  const sequences = messages.flatMap(({ sequence }) => sequence ?? []);
  expect(sequences).toEqual(sequences.toSorted((a, b) => a - b));
}

/** Who subscribes later gets the last state, and nothing older. */
async function expectRetained(partner: Client, chains: readonly Chain[]): Promise<void> {
  const later = await subscribe(partner, ...topics(chains));
  for (const { jobId } of chains) {
    const { status: jobState } = await jobNow(partner, jobId);
    await until(
      `retaining ${jobState}`,
      () => later.messages.findLast((message) => message['jobId'] === jobId)?.['jobState'] === jobState || undefined,
      () => later.texts,
      RIGHT_WITHIN_MS,
    );
  }
}
