/**
 * Between two invocations Lambda freezes an instance: nothing in it runs, no timer, no promise, no answer from the network
 * (Lambda developer guide, "Lambda execution environment", "Invoke phase"). Here its thread waits and does nothing else.
 */
import { receiveMessageOnPort, type MessagePort, type Worker } from 'node:worker_threads';

/** What wakes an instance up: one number, which grows with every invocation that was sent. */
export type Bell = Int32Array<SharedArrayBuffer>;

export function createBell(): Bell {
  return new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
}

/** Sends an invocation to an instance, and wakes it up. */
export function sendInvocation(worker: Worker, bell: Bell, invocation: unknown): void {
  worker.postMessage(invocation);
  Atomics.add(bell, 0, 1);
  Atomics.notify(bell, 0);
}

/** Blocks this thread until an invocation has come, and gives it. */
export function waitForInvocation(port: MessagePort, bell: Bell): unknown {
  for (;;) {
    // Before the look: an invocation that comes after it has changed the number, and the wait is over at once.
    const rung = Atomics.load(bell, 0);
    const received = receiveMessageOnPort(port) as { readonly message: unknown } | undefined;
    if (received) return received.message;
    Atomics.wait(bell, 0, rung);
  }
}

/** Does what has come due while the instance was frozen, timers and answers from the network, and then the work. */
export function afterThaw(work: () => void): void {
  setImmediate(() => setImmediate(work));
}
