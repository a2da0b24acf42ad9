import { root } from '../assemblies';
import { runCommand } from '../command';

/** A finding: a third-party program, or this project's against it, failed. */
export class Finding extends Error {
  override readonly name = 'Objection';
}

/** Timeout of a program, such as a deployment that waits for a custom resource forever. */
const TIMEOUT_MS = 120_000;
/** Maximum lines shown of a failed program, from its end. */
const SHOWN_LINES = 40;

/**
 * Runs a program of the project with this Node.js, and prints its duration.
 * @param title for people
 * @param args of Node.js
 * @param shown matches the lines to show when it fails; where none matches, its last lines are shown
 * @returns its output
 * @throws {Finding} when it ends with 1; Error when it ends otherwise or times out
 */
export async function step(
  title: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  shown: RegExp,
): Promise<string> {
  const began = performance.now();
  const options = { cwd: root, env, exitCodes: [0, 1], timeoutMs: TIMEOUT_MS };
  const { exitCode, stdout, stderr } = await runCommand(process.execPath, args, options);
  if (exitCode !== 0) {
    const lines = `${stdout}\n${stderr}`.trimEnd().split('\n');
    const matching = lines.filter((line) => shown.test(line));
    throw new Finding([`${title}:`, ...(matching.length > 0 ? matching : lines).slice(-SHOWN_LINES)].join('\n'));
  }
  console.log(`${title}: ${((performance.now() - began) / 1000).toFixed(1)} s`);
  return stdout;
}
