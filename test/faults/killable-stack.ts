import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, existsSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../local/free-port';

const root = join(__dirname, '../..');
const READY_WITHIN_MS = 120_000;

/** A stack on this machine with its data on disk, which can be killed and started again at the same addresses. */
export interface KillableStack {
  readonly stackFile: string;
  /** Resolves when everything answers. @throws Error with what it printed when it doesn't */
  start(): Promise<void>;
  /** Ends every process of it at once, so that none gets to do or say anything more. */
  kill(): Promise<void>;
  /** Kills it and removes its data. */
  remove(): Promise<void>;
}

/** Makes one that has not been started yet; nobody flies in it. */
export async function killableStack(): Promise<KillableStack> {
  const folder = mkdtempSync(join(tmpdir(), 'drone-mission-killed-'));
  const stackFile = join(folder, 'stack.json');
  const printed = join(folder, 'output.log');
  const ports: Record<string, string> = {};
  for (const name of ['PORT', 'IDENTITY_PORT', 'WS_PORT', 'MQTT_PORT']) ports[name] = String(await freePort());
  let child: ChildProcess | undefined;

  async function kill(): Promise<void> {
    const running = child;
    child = undefined;
    if (running?.pid === undefined) return;
    const gone = new Promise((resolve) => running.once('exit', resolve));
    // Those below it first: they end in order when they see the one above gone.
    for (const pid of [...below(running.pid).reverse(), running.pid]) endAtOnce(pid);
    await gone;
  }

  return {
    stackFile,
    kill,
    async start() {
      // Of a stack that was killed.
      rmSync(stackFile, { force: true });
      const output = openSync(printed, 'a');
      const words = ['--require', 'tsx/cjs', 'local/main.ts', '--no-fleet', '--instances', '40'];
      const started = (child = spawn(process.execPath, words, {
        cwd: root,
        stdio: ['ignore', output, output],
        env: { ...process.env, ...ports, LOCAL_DIR: folder },
      }));
      closeSync(output);
      const deadline = Date.now() + READY_WITHIN_MS;
      while (!existsSync(stackFile)) {
        if (started.exitCode !== null || Date.now() > deadline)
          throw new Error(`The stack did not start:\n${readFileSync(printed, 'utf8')}`);
        await pause(20);
      }
    },
    async remove() {
      await kill();
      rmSync(folder, { recursive: true, maxRetries: 5 });
    },
  };
}

function endAtOnce(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

/** Processes that a process has started, and they in turn (Linux: proc(5), /proc/pid/stat). */
function below(pid: number): number[] {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => [Number(name), parentOf(name)] as const);
  const childrenOf = (of: number): number[] =>
    parents.filter(([, parent]) => parent === of).flatMap(([one]) => [one, ...childrenOf(one)]);
  return childrenOf(pid);
}

function parentOf(pid: string): number {
  try {
    // The name of the program, in brackets, may hold anything.
    return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[1]);
  } catch {
    return 0;
  }
}
