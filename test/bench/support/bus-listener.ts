import type { AwsAccess } from 'cloud-assembly-runner';
import * as z from 'zod';
import { makeQueueOf } from '../../channels/platform-bus';
import { findBus } from './bus';
import { waitUntil } from './channel-listeners';

/** Hears the commands on the bus of a running stack, as the drone platform does. */
export interface BusListener {
  /** Waits for a command. @returns when it came (`performance.now()`) */
  heard(commandId: string): Promise<number>;
  close(): Promise<void>;
}

const event = z.object({ detail: z.looseObject({ commandId: z.optional(z.string()) }) });

/** Makes a queue and a rule, which end with the stack. */
export async function listenOnBus(stack: AwsAccess): Promise<BusListener> {
  const { bus, options } = await findBus(stack);
  const queue = await makeQueueOf(bus, 'bench-listener', options);
  const cameAt = new Map<string, number>();
  const stopping = new AbortController();
  const receiving = (async () => {
    while (!stopping.signal.aborted) {
      const messages = await queue.take(1);
      const now = performance.now();
      for (const message of messages) {
        const { commandId } = event.parse(message).detail;
        if (commandId !== undefined && !cameAt.has(commandId)) cameAt.set(commandId, now);
      }
    }
  })();
  return {
    async heard(commandId) {
      await waitUntil(() => cameAt.has(commandId));
      return cameAt.get(commandId) ?? NaN;
    },
    async close() {
      stopping.abort();
      await receiving;
    },
  };
}
