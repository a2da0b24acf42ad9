import { setTimeout as pause } from 'node:timers/promises';
import { clients } from '../api/client';
import { fleetOf, givenJob, givenShare } from '../api/given';
import type { Message } from './message-log';
import { tryToFollow, type Socket } from './socket';
import { ask, openTelemetry, publish, sampleOf, samplesIn, tryToWatch } from './telemetry-socket';
import { until } from './until';

const [partner] = clients('snapshot-then-changes');
const { deviceId, deviceGroupId } = fleetOf(partner);
const LISTENERS = 6;

/** A socket that follows the device, and how many samples were published before it received the snapshot. */
interface Listener {
  readonly socket: Socket;
  readonly published: number;
}

describe('A device that reports continuously', () => {
  /** Timestamps of the accepted samples, in order. */
  const accepted: string[] = [];
  let reporting: Promise<void>;
  const stop = new AbortController();

  beforeAll(async () => {
    const publisher = await openTelemetry(partner);
    await publish(publisher, sampleOf(deviceId));
    reporting = (async () => {
      while (!stop.signal.aborted) {
        const sample = sampleOf(deviceId);
        await publish(publisher, sample);
        accepted.push(sample.timestamp);
        await pause(5);
      }
    })();
  });
  afterAll(() => reporting);

  const withSnapshot = async (socket: Socket): Promise<Listener> => {
    await socket.like({ type: 'device.telemetry', snapshot: true });
    return { socket, published: accepted.length };
  };
  const viewer = async (): Promise<Listener> => {
    const { shareCode } = await givenShare(partner);
    const { socket, status } = await tryToWatch(shareCode);
    if (!socket) throw new Error(`refused with ${status}`);
    return withSnapshot(socket);
  };
  const subscriber = async (named: object): Promise<Listener> => {
    const socket = await openTelemetry(partner);
    await ask(socket, { action: 'subscribe', ...named });
    return withSnapshot(socket);
  };

  test('sends every sample once and in order to clients that begin to follow it meanwhile', async () => {
    const listeners = await Promise.all(
      Array.from({ length: LISTENERS }, () => [
        viewer(),
        subscriber({ deviceId }),
        subscriber({ deviceGroupId }),
      ]).flat(),
    );
    await pause(500);
    stop.abort();
    await reporting;
    const last = accepted.at(-1);
    for (const { socket, published } of listeners) {
      await socket.like({ timestamp: last });
      const received = samplesIn(socket, deviceId).map(({ timestamp }) => String(timestamp));
      const from = accepted.indexOf(received[0] ?? '');
      expect(received).toEqual(accepted.slice(from));
      // It received all samples after its snapshot. One sample may have been in flight then.
      expect(from).toBeLessThanOrEqual(published + 1);
    }
  });
});

describe('A job that changes while clients begin to follow it', () => {
  const states = ['PENDING', 'QUEUED', 'IN_PROGRESS', 'COMPLETED'];
  const statesIn = (messages: readonly Message[]) => messages.map(({ jobState }) => String(jobState));

  test('sends each client a snapshot and then every later state once and in order', async () => {
    const { jobId } = await givenJob(partner);
    const follow = () => tryToFollow(partner, { kind: 'job', id: jobId });
    const handshakes = Array.from({ length: LISTENERS }, async (_, index) => {
      await pause(index * 15);
      return follow();
    });
    for (const status of states.slice(1) as 'QUEUED'[])
      expect(await partner.call('PATCH /v3/jobs/{jobId}', { path: { jobId }, body: { status } })).toMatchObject({
        status: 200,
      });
    for (const { socket } of await Promise.all(handshakes)) {
      if (!socket) throw new Error('a handshake was refused');
      await socket.like({ jobState: 'COMPLETED' });
      const received = statesIn(socket.messages);
      expect(received).toEqual(states.slice(states.indexOf(received[0] ?? '')));
      expect(socket.messages.map(({ snapshot }) => snapshot === true)).toEqual(
        received.map((__, index) => index === 0),
      );
    }
  });

  test('sends its deletion to each client that was accepted', async () => {
    const { jobId } = await givenJob(partner);
    const handshakes = Array.from({ length: LISTENERS }, () => tryToFollow(partner, { kind: 'job', id: jobId }));
    await partner.call('DELETE /v3/jobs/{jobId}', { path: { jobId } });
    for (const { status, socket } of await Promise.all(handshakes)) {
      if (!socket) expect(status).toBe(404);
      else {
        await socket.closed;
        expect(socket.messages.at(-1)).toMatchObject({ deleted: true });
      }
    }
  });
});

test('messages of a device after its snapshot are never older than the snapshot', async () => {
  const socket = (await tryToFollow(partner, { kind: 'group', id: deviceGroupId })).socket;
  if (!socket) throw new Error('the handshake was refused');
  const publisher = await openTelemetry(partner);
  const ofDevice = () => socket.messages.filter((message) => message['deviceId'] === deviceId);
  let count = 0;
  // The snapshot may come late, and has all changes before it.
  await until('more than a snapshot', async () => {
    await publish(publisher, sampleOf(deviceId, { droneState: `STATE_${count++}` }));
    await pause(250);
    return count >= 5 && ofDevice().length > 1 ? true : undefined;
  });
  const sequences = ofDevice().map(({ sequence }) => Number(sequence));
  expect(sequences).toEqual([...new Set(sequences)].sort((one, other) => one - other));
});
