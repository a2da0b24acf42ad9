import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { recordingSvg, type RecordedLine } from './recording/recording-svg';

const root = join(__dirname, '..');
const file = join(root, 'docs/images/demo.svg');

/** `npm run recording`: runs the demo against the stack that runs here, and writes docs/images/demo.svg, which README shows. */
async function record(): Promise<void> {
  const args = ['--conditions=drone-mission-source', '--require', 'tsx/cjs', 'bin/demo.ts'];
  const demo = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  const startedAt = Date.now();
  const lines: RecordedLine[] = [];
  for await (const line of createInterface({ input: demo.stdout })) {
    console.log(line);
    // A link works for an hour only.
    const text = line.replace(/(?<=\/share\/share-)\S+/, '…');
    lines.push({ at: (Date.now() - startedAt) / 1000, text });
  }
  if (!lines.some(({ text }) => text.startsWith('The demo passed')))
    throw new Error('the demo failed: nothing was written');
  writeFileSync(file, recordingSvg('npm run demo', lines));
}

record().catch((error: unknown) => {
  console.error(`recording: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
});
