import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { root } from '../assemblies';
import { openApiFile } from '../documents';
import { pythonWith } from '../install/python';
import { GenerationFailed, step } from './step';

const listed = join(__dirname, 'python');

/** openapi-python-client, which formats its code by ruff. Python compiles a module at its import. */
export async function pythonClient(folder: string): Promise<string> {
  const python = await pythonWith('generators-python', join(listed, 'requirements.txt'));
  const env = { PATH: [dirname(python), process.env['PATH'] ?? ''].join(delimiter), PYTHONDONTWRITEBYTECODE: '1' };
  const config = ['--config', join(listed, 'config.yaml')];
  const options = ['--meta', 'none', '--output-path', 'partner', '--fail-on-warning', ...config];
  await step(python, ['-m', 'openapi_python_client', 'generate', '--path', join(root, openApiFile), ...options], {
    cwd: folder,
    env,
  });
  patchMissingImports(folder);
  const { stdout } = await step(python, [join(listed, 'import_all.py'), folder, 'partner'], { cwd: folder, env });
  await step(python, [join(listed, 'partner.py'), folder], { cwd: folder, env });
  return `openapi-python-client wrote ${stdout.trim()} modules, which can all be imported, and read events, values and fields that they do not know`;
}

/**
 * Adds an import that the generator forgets where a body has two content types (its issue 1451).
 * @throws {GenerationFailed} when nothing is missing any more, so that this is removed
 */
function patchMissingImports(folder: string): void {
  const incomplete = readdirSync(join(folder, 'partner/api'), { recursive: true, encoding: 'utf8' })
    .map((name) => ({ name, file: join(folder, 'partner/api', name) }))
    .filter(({ name }) => name.endsWith('.py'))
    .filter(({ file }) => /\| Unset = UNSET/.test(readFileSync(file, 'utf8')))
    .filter(({ file }) => !/^from .* import .*\bUnset\b/m.test(readFileSync(file, 'utf8')));
  for (const { name, file } of incomplete) {
    console.log(`  patched in Python: ${name} misses an import (issue 1451 of openapi-python-client)`);
    writeFileSync(file, readFileSync(file, 'utf8').replace('import UNSET, Response', 'import UNSET, Response, Unset'));
  }
  if (incomplete.length === 0) throw new GenerationFailed('no import is missing any more: remove patchMissingImports');
}
