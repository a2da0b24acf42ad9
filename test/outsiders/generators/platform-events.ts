import { dirname, join } from 'node:path';
import { root } from '../assemblies';
import { writePlatformEvents } from '../../../bin/documents/derived-files';
import { pythonWith } from '../install/python';
import { GenerationFailed, step } from './step';

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
