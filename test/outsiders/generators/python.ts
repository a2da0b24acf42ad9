import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { openApiFile, root } from '../artifacts';
import { writePlatformEvents } from '../../../bin/documents/derived-files';
import { pythonWith } from '../install';
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

const importAll = join(__dirname, 'python/import_all.py');

/** datamodel-code-generator takes the schemas of the platform's events one by one. Python compiles a module at its import. */
export async function platformEvents(folder: string): Promise<string> {
  const python = await pythonWith('python-client', join(root, 'clients/python/requirements.txt'));
  const env = { PATH: dirname(python), PYTHONDONTWRITEBYTECODE: '1', PYTHONWARNINGS: 'ignore' };
  const words = [
    '--input-file-type',
    'jsonschema',
    '--output-model-type',
    'typing.TypedDict',
    '--target-python-version',
  ];
  const schemas = join(folder, 'schemas');
  writePlatformEvents(schemas);
  const output = ['--input', schemas, '--output', join(folder, 'events')];
  await step(python, ['-m', 'datamodel_code_generator', ...output, ...words, '3.11'], { cwd: folder, env });
  const { stdout } = await step(python, [importAll, folder, 'events'], { cwd: folder, env });
  if (Number(stdout) === 0) throw new GenerationFailed('no module was written');
  return `datamodel-code-generator wrote ${stdout.trim()} modules, which can all be imported`;
}
