import type { FaultsFile } from 'cloud-assembly-runner';
import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { type Client, clients, type Answer } from '../api/client';
import { topicName } from '../../contract/terms/channel-addresses';
import { givenJob, jobNow } from '../api/given';
import { connectMqtt, subscribe, type Mqtt } from '../channels/mqtt-client';
import { follow, followFromSnapshot, type Socket } from '../channels/socket';
import { until } from '../channels/until';
import { injectFaults } from './inject-faults';
import { create, creation, stepsShown, walk, type Chain, type Creation } from './writes';

/** What is expected after a fault has ended; it may take minutes. */
export type Recovery = () => Promise<void>;

/**
 * What a partner does while a fault lasts. It injects the fault and ends it.
 * @returns what is expected afterwards
 */
export type Trial = (partner: Client, faults: FaultsFile) => Promise<Recovery>;

/** The heartbeat repairs what a fault has left behind; it detects that within two minutes. */
export const RECOVERED_WITHIN_MS = 125_000;

const CHAINS = 5;
const CREATIONS = 8;
/** How long a fault continues after all writes have been answered. */
const FAULT_AFTER_WRITES_MS = 1000;

/** A follower of a job, which reconnects when its socket is closed. */
interface Follower {
  readonly chain: Chain;
  socket: Socket;
}

const channelOf = ({ jobId }: Chain) => ({ kind: 'job', id: jobId }) as const;
const topics = (chains: readonly Chain[]) => chains.map((chain) => topicName(channelOf(chain)));

/** Expects a success, or a 500 in JSON with the request id. */
export function expectSuccessOrInternalError({ status, body }: Answer): void {
  if (status < 300) return;
  expect({ status, body }).toEqual({
    status: 500,
    body: { error: 'Internal server error', requestId: expect.stringMatching(/^[\w-]{8,}$/) as string },
  });
}

/**
 * Lets a partner write and follow while the stack has faults, and a client of another organisation try to read.
 * Fails unless every answer is a success or a clear error, acknowledged writes are stored and delivered in order to all
 * followers, refused writes can be repeated with the same key, and the other organisation sees nothing.
 */
export const writeDuring: Trial = async (partner, faults) => {
  const [stranger] = clients('stranger');
  const chains = await Promise.all(
    Array.from({ length: CHAINS }, async () => {
      const made = creation(partner, 'job');
      expect(await create(made)).toBe(201);
      return { client: partner, jobId: made.id ?? '', acknowledged: 0 };
    }),
  );
  const followers: Follower[] = await Promise.all(
    chains.map(async (chain) => ({ chain, socket: await followFromSnapshot(partner, channelOf(chain)) })),
  );
  const listener = await subscribe(partner, ...topics(chains));
  const own = await givenJob(stranger);
  const otherFollower = await follow(stranger, { kind: 'job', id: own.jobId });
  const refused = await foreign(stranger, chains);
  await Promise.all([otherFollower.first(1), listener.first(CHAINS)]);

  injectFaults(faults);
  const creations = Array.from({ length: CREATIONS }, (_, index) => creation(partner, index % 4 ? 'job' : 'share'));
  const statuses = await Promise.all([
    ...creations.map((one) => create(one, expectSuccessOrInternalError)),
    ...chains.map((chain) => walk(chain, undefined, expectSuccessOrInternalError).then(() => 200)),
    ...chains.map(({ jobId }) => look(stranger, jobId)),
  ]);
  for (const status of statuses) expect([200, 201, 403, 500]).toContain(status);
  await pause(FAULT_AFTER_WRITES_MS);
  injectFaults({});

  await expectStored(chains, creations);
  // Refused writes succeed when repeated.
  for (const chain of chains) {
    await walk(chain);
    expect(await jobNow(partner, chain.jobId)).toMatchObject({ status: 'CANCELLED', name: 'step 5' });
  }
  return async () => {
    await expectDelivered(partner, followers, listener);
    await expectRetained(partner, chains);
    expect(refused).toEqual([]);
    // Heartbeats have no jobId.
    expect(otherFollower.messages.filter(({ jobId }) => jobId !== undefined && jobId !== own.jobId)).toEqual([]);
  };
};

/** Tries to subscribe to topics of another organisation; returns those that were granted. */
async function foreign(stranger: Client, chains: readonly Chain[]): Promise<string[]> {
  const listening = await connectMqtt(stranger);
  const granted = await listening.subscribe(...topics(chains));
  return topics(chains).filter((_, index) => granted[index]);
}

/** Reads a job as another organisation; returns the status of the answer. */
async function look(stranger: Client, jobId: string): Promise<number> {
  const answer = await stranger.call('GET /v3/jobs/{jobId}', { path: { jobId } });
  if (answer.status === 403) expect(answer.body).toMatchObject({ error: 'Forbidden' });
  else expect(answer.status).toBe(500);
  return answer.status;
}

/** Acknowledged writes are stored, and creations that are repeated with their key are stored once. */
async function expectStored(chains: readonly Chain[], creations: readonly Creation[]): Promise<void> {
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

/** Each follower receives the last state, in order; closed sockets reconnect and begin with the current state. */
async function expectDelivered(partner: Client, followers: readonly Follower[], listener: Mqtt): Promise<void> {
  for (const one of followers) {
    const { chain } = one;
    const { status: jobState } = await jobNow(partner, chain.jobId);
    const isDelivered = async () => {
      if (one.socket.socket.readyState > WebSocket.OPEN) one.socket = await follow(partner, channelOf(chain));
      if (one.socket.messages.some((message) => message['jobState'] === jobState)) return true;
      await pause(200);
      return undefined;
    };
    await until(`receiving ${jobState} over WSS`, isDelivered, () => one.socket.texts, RECOVERED_WITHIN_MS);
    expectInOrder(one.socket.messages);
    await until(
      `receiving ${jobState} over MQTT`,
      () =>
        listener.messages.some((message) => message['jobId'] === chain.jobId && message['jobState'] === jobState) ||
        undefined,
      () => listener.texts,
      RECOVERED_WITHIN_MS,
    );
    const own = listener.messages.filter((message) => message['jobId'] === chain.jobId);
    expectInOrder(own);
  }
}

/** Messages are in order of their sequence; heartbeats have none. */
function expectInOrder(messages: readonly { readonly sequence?: number }[]): void {
  const sequences = messages.flatMap(({ sequence }) => sequence ?? []);
  expect(sequences).toEqual(sequences.toSorted((a, b) => a - b));
}

/** A new subscriber receives the last state. */
async function expectRetained(partner: Client, chains: readonly Chain[]): Promise<void> {
  const later = await subscribe(partner, ...topics(chains));
  for (const { jobId } of chains) {
    const { status: jobState } = await jobNow(partner, jobId);
    await until(
      `retaining ${jobState}`,
      () => later.messages.findLast((message) => message['jobId'] === jobId)?.['jobState'] === jobState || undefined,
      () => later.texts,
      RECOVERED_WITHIN_MS,
    );
  }
}
