import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '../api/client';
import type { Socket } from '../channels/socket';
import { openTelemetry, watch } from '../channels/telemetry-socket';
import { until } from '../channels/until';

/** Time limit for consistency after a killed stack answers again. */
const CONSISTENT_WITHIN_MS = 60_000;

/** Waits for a condition and returns the seconds since `since` (ms). */
export async function secondsUntil(what: string, since: number, isMet: () => Promise<boolean>): Promise<number> {
  const look = async () => {
    if (await isMet()) return true;
    await pause(500);
    return undefined;
  };
  await until(what, look, undefined, since + CONSISTENT_WITHIN_MS - Date.now());
  return Math.round((Date.now() - since) / 100) / 10;
}

/** Status of a device in the resource list. */
export const statusOf = async (client: Client, deviceId: string | undefined) => {
  const { body } = await client.call('GET /v3/resources');
  return body.resources.flatMap(({ devices }) => devices).find((device) => device.deviceId === deviceId)?.status;
};

/** `currentViewers` of a share. */
export const viewersOf = async (client: Client, shareCode: string) => {
  const { body } = await client.call('GET /v3/shares');
  return body.shares.find((share) => share.shareCode === shareCode)?.currentViewers;
};

/** Opens a telemetry socket as soon as a seat is free. */
export async function openTelemetryAgain(client: Client, since: number) {
  const opened: Socket[] = [];
  const seconds = await secondsUntil('opening a telemetry socket', since, async () => {
    const socket = await openTelemetry(client).catch(() => undefined);
    if (socket) opened.push(socket);
    return opened.length > 0;
  });
  const [socket] = opened;
  if (!socket) throw new Error('no telemetry socket was opened');
  return { socket, seconds };
}

/** Connects viewers as soon as seats are free. */
export async function watchAgain(shareCode: string, count: number, since: number) {
  const viewers: Socket[] = [];
  await secondsUntil('connecting viewers', since, async () => {
    const viewer = await watch(shareCode).catch(() => undefined);
    if (viewer) viewers.push(viewer);
    return viewers.length === count;
  });
  return viewers;
}
