/**
 * Between two invocations Lambda freezes an instance: no timer, promise or network response is processed (Lambda developer
 * guide, "Lambda execution environment", "Invoke phase"). Here the instance's thread blocks instead.
 */
import { receiveMessageOnPort, type MessagePort, type Worker } from 'node:worker_threads';

/** Shared counter of sent invocations, on which a frozen instance waits. */
export type WakeCounter = Int32Array<SharedArrayBuffer>;

export function createWakeCounter(): WakeCounter {
  return new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
}

/** Sends an invocation to an instance and wakes it. */
export function sendInvocation(worker: Worker, wakeCounter: WakeCounter, invocation: unknown): void {
  worker.postMessage(invocation);
  Atomics.add(wakeCounter, 0, 1);
  Atomics.notify(wakeCounter, 0);
}

/** Blocks this thread until an invocation arrives. */
export function waitForInvocation(port: MessagePort, wakeCounter: WakeCounter): unknown {
  for (;;) {
    // Read before the port: an invocation that arrives in between changes the counter, so the wait below ends at once.
    const seen = Atomics.load(wakeCounter, 0);
    const received = receiveMessageOnPort(port);
    if (received) return received.message;
    Atomics.wait(wakeCounter, 0, seen);
  }
}

/** Lets timers and network responses that became due during the freeze run before `work`. */
export function afterThaw(work: () => void): void {
  setImmediate(() => setImmediate(work));
}
