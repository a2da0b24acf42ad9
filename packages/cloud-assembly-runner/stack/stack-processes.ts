import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod';
import { isAlive } from '../is-alive';
import { readJsonFile, replaceFile } from '../data-folder/atomic-file';

/** Process ids of the stack that uses a data folder: the parent and the stack's process. */
const processes = z.object({ starter: z.number(), stack: z.number() });

export type StackProcesses = z.infer<typeof processes>;

/** A stack whose parent has died ends within 8 s (stack-process.ts). */
const STOP_TIMEOUT_MS = 10_000;
const POLL_MS = 50;

const fileIn = (folder: string) => join(folder, 'processes.json');

export function writeProcessIds(folder: string, ids: StackProcesses): void {
  replaceFile(fileIn(folder), JSON.stringify(ids));
}

export function removeProcessIds(folder: string): void {
  rmSync(fileIn(folder), { force: true });
}

/**
 * Waits until a stack whose parent was killed has stopped and freed its ports, which takes seconds. Resolves at once when
 * there is none or when its parent is alive, and after 10 s in any case.
 */
export async function waitForDyingStack(folder: string): Promise<void> {
  const ids = readProcessIds(folder);
  if (!ids || isAlive(ids.starter)) return;
  const deadline = performance.now() + STOP_TIMEOUT_MS;
  if (isAlive(ids.stack)) console.warn('The killed stack is still stopping; waiting for its ports.');
  while (isAlive(ids.stack) && performance.now() < deadline) await pause(POLL_MS);
}

/** An unreadable file counts as missing: each start writes it anew. */
function readProcessIds(folder: string): StackProcesses | undefined {
  try {
    return readJsonFile(fileIn(folder), processes, '');
  } catch {
    return undefined;
  }
}
