import { WebSocket } from 'ws';
import { TELEMETRY_PATH } from '../contract/telemetry';
import type { StackFacts } from '../local/stack-file';
import type { ChannelClient } from './many-clients';

/** A sample of a device as it came. */
export interface HeardSample {
  readonly deviceId: string;
  /** When it was taken, Unix milliseconds. */
  readonly takenAt: number;
  /** From then until it came, in ms. */
  readonly lag: number;
}

interface Message {
  readonly type: string;
  readonly deviceId: string;
  readonly timestamp: string;
  readonly snapshot?: true;
}

/** Follows the telemetry of groups, each over a socket of its own; `hear` takes every live sample. Gives what ends it. */
export async function followGroups(
  { wsUrl }: StackFacts,
  { token, deviceGroups }: ChannelClient,
  hear: (sample: HeardSample) => void,
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
          const { type, deviceId, timestamp, snapshot } = JSON.parse(data.toString()) as Message;
          if (type === 'subscribed') resolve();
          if (type !== 'device.telemetry' || snapshot) return;
          const takenAt = Date.parse(timestamp);
          hear({ deviceId, takenAt, lag: now - takenAt });
        });
      });
      socket.send(JSON.stringify({ action: 'subscribe', deviceGroupId: deviceGroups[index]?.deviceGroupId }));
      await subscribed;
    }),
  );
  return () => sockets.forEach((socket) => socket.terminate());
}
