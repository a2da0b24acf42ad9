import { WebSocket } from 'ws';
import { TELEMETRY_PATH } from '../../../contract/websocket-actions';
import type { StackFacts } from '../../../bin/start/stack-facts';
import type { ChannelClient } from './many-clients';

/** A received sample of a device. */
export interface ReceivedSample {
  readonly deviceId: string;
  /** The sample's timestamp, Unix milliseconds. */
  readonly takenAt: number;
  /** From its timestamp to its arrival, in ms. */
  readonly lagMs: number;
}

interface Message {
  readonly type: string;
  readonly deviceId: string;
  readonly timestamp: string;
  readonly snapshot?: true;
  /** Of a batch. */
  readonly samples?: readonly Message[];
}

/**
 * Subscribes to the telemetry of groups, each over a socket of its own; `onSample` gets every live sample, `batch` asks
 * for batches.
 * @returns a function that disconnects
 */
export async function followGroups(
  { wsUrl }: StackFacts,
  { token, deviceGroups }: ChannelClient,
  onSample: (sample: ReceivedSample) => void,
  batch = false,
): Promise<() => void> {
  const sockets = deviceGroups.map(
    () => new WebSocket((wsUrl ?? '') + TELEMETRY_PATH, { headers: { authorization: `Bearer ${token}` } }),
  );
  await Promise.all(
    sockets.map(async (socket, index) => {
      await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
      const subscribed = new Promise<void>((resolve) => {
        socket.on('message', (data: Buffer) => {
          const now = Date.now();
          const message = JSON.parse(data.toString()) as Message;
          if (message.type === 'subscribed') resolve();
          for (const { type, deviceId, timestamp, snapshot } of message.samples ?? [message]) {
            if (type !== 'device.telemetry' || snapshot) continue;
            const takenAt = Date.parse(timestamp);
            onSample({ deviceId, takenAt, lagMs: now - takenAt });
          }
        });
      });
      const { deviceGroupId } = deviceGroups[index] ?? {};
      socket.send(JSON.stringify({ action: 'subscribe', deviceGroupId, ...(batch && { batch }) }));
      await subscribed;
    }),
  );
  return () => sockets.forEach((socket) => socket.terminate());
}
