import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { once } from 'node:events';

/** The adapter under test, started by a shell command. */
export class AdapterProcess {
  private child: ChildProcess | undefined;

  constructor(
    private readonly command: string,
    private readonly variables: NodeJS.ProcessEnv,
    private readonly log: string,
  ) {}

  start(): void {
    const output = openSync(this.log, 'a');
    // A group of its own, so that what the shell has started is killed with it.
    const child = spawn('sh', ['-c', this.command], {
      detached: true,
      env: { ...process.env, ...this.variables },
      stdio: ['ignore', output, output],
    });
    closeSync(output);
    this.child = child;
  }

  /** Kills it, as a power cut would. */
  async kill(): Promise<void> {
    const { child } = this;
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    process.kill(-child.pid, 'SIGKILL');
    await ended;
  }
}
