import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '../api/client';
import type { Socket } from '../channels/socket';
import { openTelemetry, watch } from '../channels/telemetry-socket';
import { until } from '../channels/until';

/** Once a stack that was killed answers again, everything is true within this time. */
const TRUE_WITHIN_MS = 60_000;

/** Seconds until something is so, from `since` in ms. */
export async function secondsUntil(what: string, since: number, isSo: () => Promise<boolean>): Promise<number> {
  const look = async () => {
    if (await isSo()) return true;
    await pause(500);
    return undefined;
  };
  await until(what, look, undefined, since + TRUE_WITHIN_MS - Date.now());
  return Math.round((Date.now() - since) / 100) / 10;
}

/** Whether a device is said to be online. */
export const statusOf = async (client: Client, deviceId: string | undefined) => {
  const { body } = await client.call('GET /v3/resources');
  return body.resources.flatMap(({ devices }) => devices).find((device) => device.deviceId === deviceId)?.status;
};

/** How many viewers a share is said to have. */
export const viewersOf = async (client: Client, shareCode: string) => {
  const { body } = await client.call('GET /v3/shares');
  return body.shares.find((share) => share.shareCode === shareCode)?.currentViewers;
};

/** A telemetry socket, as soon as there is a seat for it. */
export async function openTelemetryAgain(client: Client, since: number) {
  const opened: Socket[] = [];
  const seconds = await secondsUntil('being let in', since, async () => {
    const socket = await openTelemetry(client).catch(() => undefined);
    if (socket) opened.push(socket);
    return opened.length > 0;
  });
  const [socket] = opened;
  if (!socket) throw new Error('nobody was let in');
  return { socket, seconds };
}

/** Some viewers, as soon as there are seats for them. */
export async function watchAgain(shareCode: string, count: number, since: number) {
  const viewers: Socket[] = [];
  await secondsUntil('letting viewers in', since, async () => {
    const viewer = await watch(shareCode).catch(() => undefined);
    if (viewer) viewers.push(viewer);
    return viewers.length === count;
  });
  return viewers;
}
