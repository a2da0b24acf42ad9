import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { Measured, Measurement } from './figure';
import { endStorage } from './storage';

/** First word of the command line of such a process; the second is the name. */
const OPTION = '--own-process';

/** What the process of a measurement sends before it ends. */
type Reply = { readonly measured: readonly Measured[] } | { readonly reason: string };

/** Whether this is the process of one measurement. */
export const isOwnProcess = ([option]: readonly string[]): boolean => option === OPTION;

/**
 * Runs a measurement of this program in a process of its own: measurements set environment variables and keep clients of
 * the SDK with their addresses, which others, and the commands that they run, would use.
 * @param interrupted sends it SIGINT
 * @throws Error with the reason when it fails, when its process ends before, or when it is interrupted
 */
export async function measureInOwnProcess(name: string, interrupted: AbortSignal): Promise<readonly Measured[]> {
  const child = fork(process.argv[1] ?? '', [OPTION, name], {
    signal: interrupted,
    killSignal: 'SIGINT',
  });
  let reply: Reply | undefined;
  child.once('message', (message: Reply) => (reply = message));
  // The last message may arrive after the end of the process, but before that of the connection.
  const [[code, signal]] = (await Promise.all([once(child, 'exit'), once(child, 'disconnect')])) as [
    [number | null, NodeJS.Signals | null],
    unknown,
  ];
  if (reply === undefined) throw new Error(`its process ended with ${signal ?? code}`);
  if ('reason' in reply) throw new Error(reply.reason);
  return reply.measured;
}

/** Runs the named measurement, sends what it found to the program that started this process, and ends. */
export async function measureHere(
  measurements: Readonly<Record<string, Measurement>>,
  [, name = '']: readonly string[],
): Promise<void> {
  // It may receive a signal twice, from the terminal and from the program: the second one must not end it before its stack.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));
  // The program is gone, so nobody would get the figures.
  process.once('disconnect', () => process.exit(1));
  const reply = await measure(measurements[name]);
  await endStorage();
  process.send?.(reply, undefined, undefined, () => process.exit());
}

async function measure(measurement: Measurement | undefined): Promise<Reply> {
  try {
    return { measured: (await measurement?.()) ?? [] };
  } catch (error) {
    return { reason: error instanceof Error ? error.message : String(error) };
  }
}
