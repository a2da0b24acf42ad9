import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { buildSite } from './build';

/**
 * Builds the docs site into a folder, which appears when it is complete; or writes why it can't be built into `<folder>.failed`.
 * It runs beside the synthesis, which waits for one of the two (lib/docs/docs-build.ts).
 */
async function main(folder: string): Promise<void> {
  const temporary = `${folder}.${process.pid}`;
  let failure: string | undefined = 'the build ended early';
  process.once('exit', () => {
    rmSync(temporary, { recursive: true, force: true });
    if (failure !== undefined) writeFileSync(`${folder}.failed`, failure);
  });
  try {
    await buildSite(temporary);
    // Another process may have built the same in the meantime.
    if (!existsSync(folder)) renameSync(temporary, folder);
    failure = undefined;
  } catch (error) {
    failure = error instanceof Error ? error.message : String(error);
    process.exitCode = 1;
  }
}

void main(process.argv[2] ?? '');
