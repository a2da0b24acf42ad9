import { spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../assemblies';
import { runCommand } from '../command';
import { openApiFile } from '../documents';
import { installed, withAttempts } from '../install/cache';
import { NotInstalled } from '../lane';
import { lineCount } from './line-count';
import { GenerationFailed, step } from './step';

const listed = join(__dirname, 'go');
const files = ['go.mod', 'go.sum'];
/** Lines of the generated client: 12,549 when each status of each operation had an error of its own. */
const MAX_LINES = 8500;

/** oapi-codegen: the types and a client, vetted with a partner's code that uses them. */
export async function goClient(folder: string): Promise<string> {
  const program = join(await installGenerator(), 'oapi-codegen');
  for (const file of [...files, 'partner.go']) copyFileSync(join(listed, file), join(folder, file));
  const options = ['-generate', 'types,client', '-package', 'partner', '-o', 'client.go'];
  await step(program, [...options, join(root, openApiFile)], { cwd: folder });
  expectUsable(readFileSync(join(folder, 'client.go'), 'utf8'));
  await withAttempts('downloading modules', () => step('go', ['list', '-mod=readonly', '-deps', '.'], { cwd: folder }));
  await step('go', ['vet', '-mod=readonly', '.'], { cwd: folder });
  const lines = lineCount(join(folder, 'client.go'));
  if (lines > MAX_LINES) throw new GenerationFailed(`oapi-codegen wrote ${lines} lines, more than ${MAX_LINES}`);
  return `oapi-codegen wrote ${lines} lines, which pass go vet`;
}

/** @throws {GenerationFailed} for a number of 32 bits, which is 0.8 m off in a longitude of 140°, or a type without a name */
function expectUsable(code: string): void {
  const unnamed = code.match(/^type \w+_Item\b/gm) ?? [];
  if (unnamed.length > 0) throw new GenerationFailed(`the generated code has ${unnamed.join(', ')}`);
  const count = code.match(/\bfloat32\b/g)?.length ?? 0;
  if (count > 0) throw new GenerationFailed(`the generated code has ${count} times float32`);
}

/** Builds it from the Go module proxy, with all modules pinned by go.sum. */
async function installGenerator(): Promise<string> {
  if (spawnSync('go', ['version']).status !== 0)
    throw new NotInstalled('Go', 'version 1.25 or later, as go.mod in test/outsiders/generators/go says');
  const contents = files.map((file) => readFileSync(join(listed, file), 'utf8')).join('');
  return installed('generators-go', contents, async (folder) => {
    const tool = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen';
    await runCommand('go', ['build', '-mod=readonly', '-trimpath', '-o', join(folder, 'oapi-codegen'), tool], {
      cwd: listed,
    });
  });
}
