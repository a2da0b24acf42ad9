import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createProgress, type ProgressStream } from '../command-line/progress';

/** Several times what each step takes, even when the drone flies at its own pace. */
const STEP_TIMEOUT_MS = 120_000;
const REDRAW_EVERY_MS = 100;
/** Where the functions of the stack say what went wrong. */
export const SEE_LOG = `see ${join(process.env['LOCAL_DIR'] ?? '.local', 'functions.log')}`;
const REMEDY = `the fleet does not fly if the stack was started with --no-fleet; otherwise ${SEE_LOG}`;

/** Prints the steps of the demo with their time, and what it waits for. */
export class Narrator {
  readonly #progress;
  readonly #startedAt = Date.now();

  constructor(output: ProgressStream) {
    this.#progress = createProgress(output);
  }

  #seconds(): string {
    return `${((Date.now() - this.#startedAt) / 1000).toFixed(1)} s`;
  }

  /** Prints a step that is done. */
  say(step: string, text: string): void {
    this.#progress.line(`${this.#seconds().padStart(7)}  ${step.padEnd(9)}  ${text}`);
  }

  /**
   * Waits until a condition holds.
   * @param what is waited for, such as `for the drone to land`
   * @param detail what is known meanwhile
   * @throws Error of the condition, or when it takes too long
   */
  async waitUntil(what: string, condition: () => boolean | Promise<boolean>, detail = () => ''): Promise<void> {
    const deadline = Date.now() + STEP_TIMEOUT_MS;
    try {
      while (!(await condition())) {
        if (Date.now() > deadline) throw new Error(`waiting ${what} took too long: ${REMEDY}`);
        this.#progress.waitFor(`waiting ${what}`, [this.#seconds(), detail()].filter(Boolean).join(', '));
        await pause(REDRAW_EVERY_MS);
      }
    } finally {
      this.#progress.end();
    }
  }
}
