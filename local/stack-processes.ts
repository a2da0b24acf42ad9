import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod';
import { readJsonFile, replaceFile } from './kept-file';

/** Process ids of a stack that was started with a data folder. */
const processes = z.object({ starter: z.number(), stack: z.number() });

export type StackProcesses = z.infer<typeof processes>;

/** A stack whose starter is gone gives itself 8 s to end (stack-process.ts). */
const ENDED_WITHIN_MS = 10_000;
const LOOK_AGAIN_MS = 50;

const fileIn = (folder: string) => join(folder, 'processes.json');

/** Notes who runs the stack of a folder: `npm start`, and the process that holds the ports. */
export function noteProcesses(folder: string, ids: StackProcesses): void {
  replaceFile(fileIn(folder), JSON.stringify(ids));
}

export function forgetProcesses(folder: string): void {
  rmSync(fileIn(folder), { force: true });
}

/**
 * Waits for a stack whose `npm start` was killed: it notices, ends what is under way and frees its ports, all within
 * seconds. Resolves at once when there is none, and when one still runs; after 10 s in any case.
 */
export async function dyingStackEnded(folder: string): Promise<void> {
  const ids = readProcesses(folder);
  if (!ids || isAlive(ids.starter)) return;
  const deadline = performance.now() + ENDED_WITHIN_MS;
  if (isAlive(ids.stack)) console.warn('The stack that was killed is still ending; waiting for its ports.');
  while (isAlive(ids.stack) && performance.now() < deadline) await pause(LOOK_AGAIN_MS);
}

/** What can't be read tells of no stack: it is written anew at each start. */
function readProcesses(folder: string): StackProcesses | undefined {
  try {
    return readJsonFile(fileIn(folder), processes, '');
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // Not ours to signal, but there.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
