import { setTimeout as pause } from 'node:timers/promises';
import type { Usage } from 'cloud-assembly-runner';
import { WebSocket } from 'ws';
import { TELEMETRY_PATH } from '../../../contract/websocket-actions';
import { waitUntil } from '../support/channel-listeners';
import { billOf, type Bill } from './bill';
import { report } from './fleet';
import type { Setup } from './setup';
import { beyondIdle, between, readSettled, scaled, sum } from './usage';

const MILLION = 1e6;
const SHARES = 6;
/** Until a share ends, in s: later than the creation of the last one has settled. */
const EXPIRES_IN = 90;
/** Between two shares, in ms: their ends are spread over a minute, as the times of a scheduler that works in minutes. */
const EVERY_MS = 10_000;
const VIEWERS = 10;
const WATCHED_SECONDS = 30;
const HOUR_SECONDS = 3600;

/** What the end of a share that lasts for longer than 15 minutes takes besides: a schedule, its message, and a second delay. */
const scheduled: Usage = {
  schedules: { 'scheduler:invocations': SHARES, 'sqs:requests': 3 * SHARES, 'lambda:requests': SHARES },
};

/** A million shares that expire: all that happens after their creation, and at it what functions of their ends do. */
export async function shareEnds(setup: Setup): Promise<Bill> {
  const { client, stack } = setup;
  const before = await readSettled(stack.access);
  for (let count = 0; count < SHARES; count++) {
    await client.api.shares.create({ resourceId: client.deviceId, shareType: 'DEVICE_STATUS', expiresIn: EXPIRES_IN });
    if (count < SHARES - 1) await pause(EVERY_MS);
  }
  const created = await readSettled(stack.access);
  await pause(EXPIRES_IN * 1000 - (performance.now() - created.at));
  const after = await readSettled(stack.access);
  const whole = beyondIdle(between(before, after), setup.idle);
  const later = beyondIdle(between(created, after), setup.idle);
  return billOf(
    'a million shares that expire, without their creation',
    `${SHARES} shares × ${(MILLION / SHARES).toFixed(0)}, evenly over a month, each with a schedule, as if it lasted for longer than 15 minutes`,
    scaled(sum(endsIn(whole, later), scheduled), MILLION / SHARES),
  );
}

/**
 * What the ends of shares take: all that happens later than their creation, and what the functions of their ends do at
 * it, but for the event that tells the platform of a new share.
 */
function endsIn(whole: Usage, later: Usage): Usage {
  const ofEnds = Object.entries(whole)
    .filter(([caller]) => caller.startsWith('ShareExpiry'))
    .map(([caller, charges]) => {
      const { 'events:events': events = 0, 'events:bytes': bytes = 0 } = later[caller] ?? {};
      return [caller, { ...charges, 'events:events': events, 'events:bytes': bytes }] as const;
    });
  return { ...later, ...Object.fromEntries(ofEnds) };
}

/** A device in flight whose share has ten viewers for an hour. */
export async function shareViewers(setup: Setup): Promise<Bill> {
  const { client, stack } = setup;
  const share = await client.api.shares.create({
    resourceId: client.deviceId,
    shareType: 'DEVICE_STATUS',
    maxViewers: VIEWERS,
  });
  const begin = await readSettled(stack.access);
  const received: string[] = [];
  const viewers = await Promise.all(
    Array.from({ length: VIEWERS }, async () => {
      const socket = new WebSocket(`${stack.facts.wsUrl ?? ''}${TELEMETRY_PATH}?shareCode=${share.shareCode}`);
      socket.on('message', (data: Buffer) => received.push(data.toString()));
      await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
      return socket;
    }),
  );
  await waitUntil(() => received.length >= VIEWERS);
  const opened = await readSettled(stack.access);
  await report(setup, 'flight', WATCHED_SECONDS, 1);
  const watched = await readSettled(stack.access);
  for (const viewer of viewers) viewer.close();
  const closed = await readSettled(stack.access);
  const once = sum(beyondIdle(between(begin, opened), setup.idle), beyondIdle(between(watched, closed), setup.idle));
  const perWatch = beyondIdle(between(opened, watched), setup.idle);
  return billOf(
    'a device in flight, shared with 10 viewers for an hour',
    `their handshakes and ends, and ${WATCHED_SECONDS} s × ${HOUR_SECONDS / WATCHED_SECONDS}`,
    sum(once, scaled(perWatch, HOUR_SECONDS / WATCHED_SECONDS)),
  );
}
