import { copyFileSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { openApiFile, root } from '../artifacts';
import { runCommand } from '../processes';
import { installed } from '../install';
import { step, lineCount } from './step';

const tsx = require.resolve('tsx');
const listed = join(__dirname, 'typescript');
const files = ['package.json', 'package-lock.json'];
/** The strictest that a partner's compiler can be. */
const STRICT = ['--strict', '--noUncheckedIndexedAccess', '--exactOptionalPropertyTypes'];
const OPTIONS = [...STRICT, '--noEmit', '--target', 'es2022', '--module', 'nodenext', '--lib', 'es2022,dom'];

/** openapi-typescript, and a partner's code that calls the API by openapi-fetch. */
export async function typescriptClient(folder: string): Promise<string> {
  const contents = files.map((file) => readFileSync(join(listed, file), 'utf8')).join('');
  const modules = await installed('generators-typescript', contents, async (fresh) => {
    for (const file of files) copyFileSync(join(listed, file), join(fresh, file));
    await runCommand('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: fresh });
  });
  const binary = (name: string) => join(modules, 'node_modules/.bin', name);
  symlinkSync(join(modules, 'node_modules'), join(folder, 'node_modules'));
  // Without it, fields with a default would be required in requests too.
  const options = ['--default-non-nullable', 'false', '--output', 'openapi.ts'];
  await step(binary('openapi-typescript'), [join(root, openApiFile), ...options], { cwd: folder });
  copyFileSync(join(listed, 'partner.ts.txt'), join(folder, 'partner.ts'));
  await step(binary('tsc'), [...OPTIONS, 'partner.ts', 'openapi.ts'], { cwd: folder });
  await step(process.execPath, ['--import', tsx, 'partner.ts'], { cwd: folder });
  const lines = lineCount(join(folder, 'openapi.ts'));
  return `openapi-typescript wrote ${lines} lines, which compile with tsc --strict, and read events, values and fields that they do not know`;
}
