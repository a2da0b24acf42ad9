import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { TELEMETRY_PATH } from '../../contract/websocket-actions';
import { stopNames } from '../../domain/commands/stops';
import { platformOf } from './cost/metered-stack';
import { percentile, type Measured, type Measurement } from './support/figure';
import { startLocalStack, type LocalStack } from './support/local-stack';
import { onboardClients, type ChannelClient } from './support/many-clients';

const CALLERS = 40;
/** Of the mixed ones. */
const VIEWERS = CALLERS / 2;
const PER_SECOND = 20;
/** Of each stage. A viewer may send 30 stops a minute. */
const SECONDS = 10;
const MAX_MS = 500;
/** The stop of one caller alone, twice a second. */
const ALONE = 10;

/** Sends a stop, and waits until it is taken. @throws Error when it is refused */
type Caller = (name: 'PAUSE') => Promise<unknown>;

/** A viewer's socket: the answers have the numbers of their messages. */
async function watch(stack: LocalStack, shareCode: string): Promise<{ readonly send: Caller; close(): void }> {
  const socket = new WebSocket(`${stack.facts.wsUrl ?? ''}${TELEMETRY_PATH}?shareCode=${shareCode}`);
  await new Promise((open, refused) => socket.once('open', open).once('error', refused));
  const waiting = new Map<number, (type: string) => void>();
  socket.on('message', (data: Buffer) => {
    const { id = 0, type } = JSON.parse(data.toString()) as { readonly id?: number; readonly type: string };
    waiting.get(id)?.(type);
  });
  // A stop over a socket that the stack has closed is not taken either.
  socket.on('close', () => waiting.forEach((answered) => answered('closed')));
  let sent = 0;
  const send: Caller = async (name) => {
    if (socket.readyState !== WebSocket.OPEN) throw new Error('the socket is closed');
    const id = ++sent;
    const answer = new Promise<string>((answered) => waiting.set(id, answered));
    socket.send(JSON.stringify({ action: 'control', command: { name }, id }));
    if ((await answer) !== 'accepted') throw new Error('a stop was refused');
  };
  return { send, close: () => socket.terminate() };
}

/** How long stops took until they were taken, in ms, and how many were refused. */
async function run(callers: readonly Caller[], count: number, perSecond: number) {
  const took: number[] = [];
  let refused = 0;
  const running: Promise<void>[] = [];
  for (let sent = 0; sent < count; sent++) {
    const begun = performance.now();
    const answered = callers[sent % callers.length]?.('PAUSE');
    const ended = Promise.resolve(answered).then(
      () => void took.push(performance.now() - begun),
      () => void (refused += 1),
    );
    running.push(ended);
    await pause(1000 / perSecond);
  }
  await Promise.all(running);
  return { took, refused };
}

/** A device in flight, and those who stop it: clients of its organisation. */
async function begin(stack: LocalStack, clients: readonly ChannelClient[]) {
  const [first] = clients;
  if (!first) throw new Error('no client was onboarded');
  const { deviceId } = first;
  const platform = await platformOf(stack.access);
  const sample = { deviceId, timestamp: new Date().toISOString(), droneState: 'WAYPOINT' };
  await platform({ type: 'device.telemetry.reported', detail: { telemetry: [sample] } });
  return {
    first,
    deviceId,
    callers: clients.map(
      ({ api }): Caller =>
        (name) =>
          api.devices.command(deviceId, { name }),
    ),
  };
}

/** Viewers of the device, who may stop it. */
async function openViewers(stack: LocalStack, { api }: ChannelClient, resourceId: string) {
  const { shareCode } = await api.shares.create({
    resourceId,
    shareType: 'DEVICE_STATUS',
    maxViewers: VIEWERS,
    permissions: ['view', 'control'],
    commands: [...stopNames],
  });
  return Promise.all(Array.from({ length: VIEWERS }, () => watch(stack, shareCode)));
}

/**
 * Forty who stop one device at the same time: none is refused, and how long it takes until a stop is taken, beside that
 * of one caller.
 */
export const stops: Measurement = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'stops-'));
  const stack = await startLocalStack(join(__dirname, '../..'), folder, ['--memory', '--no-fleet']);
  try {
    const { first, deviceId, callers } = await begin(stack, await onboardClients(folder, stack.facts.baseUrl, CALLERS));
    // Each caller once, so that no first call of an instance is measured.
    await run(callers, callers.length, PER_SECOND);
    const alone = percentile((await run(callers.slice(0, 1), ALONE, 2)).took, 50);
    const measure = async (who: string, stopping: readonly Caller[]): Promise<Measured> => {
      const { took, refused } = await run(stopping, PER_SECOND * SECONDS, PER_SECOND);
      const p95 = percentile(took, 95);
      return {
        figure: `${PER_SECOND} PAUSE a second of ${who}`,
        measured: `${refused} refused, p95 ${p95.toFixed(0)} ms, ${(p95 / alone).toFixed(1)} × one caller's median`,
        mustBe: `none, at most ${MAX_MS} ms`,
        ok: refused === 0 && p95 <= MAX_MS,
      };
    };
    const ofClients = await measure(`${CALLERS} clients`, callers);
    const viewers = await openViewers(stack, first, deviceId);
    const mixed = viewers.flatMap(({ send }, index) => [send, ...callers.slice(index, index + 1)]);
    const ofAll = await measure(`${VIEWERS} clients, ${VIEWERS} viewers`, mixed);
    for (const viewer of viewers) viewer.close();
    return [ofClients, ofAll];
  } finally {
    await stack.stop();
    await rm(folder, { recursive: true });
  }
};
