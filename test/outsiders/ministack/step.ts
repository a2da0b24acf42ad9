import { root } from '../assemblies';
import { runCommand } from '../command';

/** What somebody else's program, or ours against it, objects to. */
export class Objection extends Error {
  override readonly name = 'Objection';
}

/** A deployment that hangs, as one does that waits for a custom resource, is ended. */
const WITHIN_MS = 120_000;
/** Lines of a failed program that are shown, its last ones. */
const SHOWN_LINES = 40;

/**
 * Runs a program of the project with this Node.js, and says how long it took.
 * @param title for people
 * @param args of Node.js
 * @param told matches the lines that are shown when it fails
 * @returns what it printed
 * @throws {Objection} when it ends with 1; Error when it ends otherwise or takes too long
 */
export async function step(
  title: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  told: RegExp,
): Promise<string> {
  const began = performance.now();
  const options = { cwd: root, env, exitCodes: [0, 1], timeoutMs: WITHIN_MS };
  const { exitCode, stdout, stderr } = await runCommand(process.execPath, args, options);
  if (exitCode !== 0) {
    const lines = `${stdout}\n${stderr}`.split('\n').filter((line) => told.test(line));
    throw new Objection([`${title}:`, ...lines.slice(-SHOWN_LINES)].join('\n'));
  }
  console.log(`${title}: ${((performance.now() - began) / 1000).toFixed(1)} s`);
  return stdout;
}
