import { setTimeout as pause } from 'node:timers/promises';
import { clients } from '../api/client';
import { fleetOf, givenJob, givenShare } from '../api/given';
import type { Message } from './heard';
import { tryToFollow, type Socket } from './socket';
import { openTelemetry, publish, sampleOf, samplesIn, subscribeTo, tryToWatch } from './telemetry-socket';
import { until } from './until';

const [partner] = clients('from-the-snapshot-on');
const { deviceId, deviceGroupId } = fleetOf(partner);
const LISTENERS = 6;

/** A socket that follows the device, and how many samples had been published when it was told the state. */
interface Listener {
  readonly socket: Socket;
  readonly published: number;
}

describe('A device that reports all the time', () => {
  /** Moments of the samples that have been taken, in order. */
  const taken: string[] = [];
  let reporting: Promise<void>;
  const stop = new AbortController();

  beforeAll(async () => {
    const publisher = await openTelemetry(partner);
    await publish(publisher, sampleOf(deviceId));
    reporting = (async () => {
      while (!stop.signal.aborted) {
        const sample = sampleOf(deviceId);
        await publish(publisher, sample);
        taken.push(sample.timestamp);
        await pause(5);
      }
    })();
  });
  afterAll(() => reporting);

  const told = async (socket: Socket): Promise<Listener> => {
    await socket.like({ type: 'device.telemetry', snapshot: true });
    return { socket, published: taken.length };
  };
  const viewer = async (): Promise<Listener> => {
    const { shareCode } = await givenShare(partner);
    const { socket, status } = await tryToWatch(shareCode);
    if (!socket) throw new Error(`refused with ${status}`);
    return told(socket);
  };
  const subscriber = async (named: object): Promise<Listener> => {
    const socket = await openTelemetry(partner);
    await subscribeTo(socket, named);
    return told(socket);
  };

  test('is heard without a gap by all who begin to follow it meanwhile, in order and each sample once.', async () => {
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
    const last = taken.at(-1);
    for (const { socket, published } of listeners) {
      await socket.like({ timestamp: last });
      const heard = samplesIn(socket, deviceId).map(({ timestamp }) => String(timestamp));
      const from = taken.indexOf(heard[0] ?? '');
      expect(heard).toEqual(taken.slice(from));
      // It has heard all that was published after it had been told the state. One sample may have been under way then.
      expect(from).toBeLessThanOrEqual(published + 1);
    }
  });
});

describe('A job that changes while clients begin to follow it', () => {
  const states = ['PENDING', 'QUEUED', 'IN_PROGRESS', 'COMPLETED'];
  const statesIn = (messages: readonly Message[]) => messages.map(({ jobState }) => String(jobState));

  test('is told to each from some state on, every further one once and in order.', async () => {
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
      const heard = statesIn(socket.messages);
      expect(heard).toEqual(states.slice(states.indexOf(heard[0] ?? '')));
      expect(socket.messages.map(({ snapshot }) => snapshot === true)).toEqual(heard.map((__, index) => index === 0));
    }
  });

  test('is told to be deleted to each that was let in.', async () => {
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

test('What is told of a device after its snapshot is never older than the snapshot.', async () => {
  const socket = (await tryToFollow(partner, { kind: 'group', id: deviceGroupId })).socket;
  if (!socket) throw new Error('the handshake was refused');
  const publisher = await openTelemetry(partner);
  for (let count = 0; count < 5; count++) {
    await publish(publisher, sampleOf(deviceId, { droneState: `STATE_${count}` }));
    await pause(250);
  }
  const ofDevice = () => socket.messages.filter((message) => message['deviceId'] === deviceId);
  await until('more than a snapshot', () => (ofDevice().length > 1 ? true : undefined));
  const sequences = ofDevice().map(({ sequence }) => Number(sequence));
  expect(sequences).toEqual([...new Set(sequences)].sort((one, other) => one - other));
});
