import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, existsSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from 'cloud-assembly-runner/free-port';

const root = join(__dirname, '../..');
const READY_WITHIN_MS = 120_000;

/** A local stack with its data on disk, which can be killed and restarted at the same addresses. */
export interface KillableStack {
  readonly stackFile: string;
  /** Resolves when everything answers. @throws Error with its output if it doesn't */
  start(): Promise<void>;
  /** Kills all its processes with SIGKILL. */
  kill(): Promise<void>;
  /** Kills it and removes its data. */
  remove(): Promise<void>;
}

/**
 * Creates a stack that is not started yet and has no simulated fleet.
 * @param words further options of `npm start`
 */
export async function killableStack(words: readonly string[] = []): Promise<KillableStack> {
  const folder = mkdtempSync(join(tmpdir(), 'drone-mission-killed-'));
  const stackFile = join(folder, 'stack.json');
  const outputFile = join(folder, 'output.log');
  const ports: Record<string, string> = {};
  for (const name of ['PORT', 'IDENTITY_PORT', 'WS_PORT', 'MQTT_PORT']) ports[name] = String(await freePort());
  let child: ChildProcess | undefined;

  async function kill(): Promise<void> {
    const running = child;
    child = undefined;
    if (running?.pid === undefined) return;
    const exited = new Promise((resolve) => running.once('exit', resolve));
    // Descendants first: they shut down in order when their parent has exited.
    const pids = [...descendantsOf(running.pid).reverse(), running.pid];
    for (const pid of pids) killNow(pid);
    await exited;
    // Until then they may write, which on a busy machine takes a while.
    while (pids.some(isRunning)) await pause(20);
  }

  return {
    stackFile,
    kill,
    async start() {
      // Left over from a killed stack.
      rmSync(stackFile, { force: true });
      const output = openSync(outputFile, 'a');
      const args = ['--require', 'tsx/cjs', 'bin/start.ts', '--no-fleet', '--instances', '40', ...words];
      const started = (child = spawn(process.execPath, args, {
        cwd: root,
        stdio: ['ignore', output, output],
        env: { ...process.env, ...ports, LOCAL_DIR: folder },
      }));
      closeSync(output);
      const deadline = Date.now() + READY_WITHIN_MS;
      while (!existsSync(stackFile)) {
        if (started.exitCode !== null || Date.now() > deadline)
          throw new Error(`The stack did not start:\n${readFileSync(outputFile, 'utf8')}`);
        await pause(20);
      }
    },
    async remove() {
      await kill();
      rmSync(folder, { recursive: true, maxRetries: 5 });
    },
  };
}

function killNow(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has exited already.
  }
}

/** Descendants of a process (Linux: proc(5), /proc/pid/stat). */
function descendantsOf(pid: number): number[] {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => [Number(name), parentOf(name)] as const);
  const childrenOf = (of: number): number[] =>
    parents.filter(([, parent]) => parent === of).flatMap(([one]) => [one, ...childrenOf(one)]);
  return childrenOf(pid);
}

const parentOf = (pid: string): number => Number(statOf(pid)[1] ?? 0);

/** Not of one that has ended and that nobody has waited for. */
const isRunning = (pid: number): boolean => !['Z', 'X', undefined].includes(statOf(pid)[0]);

/** State, parent, … of a process; nothing of one that is gone. */
function statOf(pid: string | number): readonly string[] {
  try {
    // The program name, in brackets, may contain anything.
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  } catch {
    return [];
  }
}
