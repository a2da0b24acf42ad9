import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../../../outsiders/command';
import { installed } from '../../../outsiders/install/programs';

/**
 * Path of k6, which is built once, from the Go module proxy, with all modules pinned by go.sum.
 * @throws NotInstalled without Go
 */
export async function k6Program(): Promise<string> {
  const contents = ['go.mod', 'go.sum'].map((file) => readFileSync(join(__dirname, file), 'utf8')).join('');
  const folder = await installed('k6', contents, async (into) => {
    const options = ['-mod=readonly', '-trimpath', '-o', join(into, 'k6')];
    await runCommand('go', ['build', ...options, 'go.k6.io/k6'], { cwd: __dirname });
  });
  return join(folder, 'k6');
}
