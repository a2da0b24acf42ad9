import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../assemblies';
import { openApiFile } from '../documents';
import { openApiGenerator } from './openapi-generator';
import { GenerationFailed, step } from './step';

/** openapi-generator for C#. Debian has no .NET, so the code is not compiled: each model must have a name of ours. */
export async function csharpClient(folder: string): Promise<string> {
  const program = await openApiGenerator();
  const options = ['-g', 'csharp', '--library', 'httpclient', '-i', join(root, openApiFile), '-o', folder];
  await step('java', ['-jar', program, 'generate', ...options], { cwd: folder });
  const models = readdirSync(join(folder, 'src/Org.OpenAPITools/Model')).filter((name) => name.endsWith('.cs'));
  const unnamed = models.filter((name) => /Inner|Inline|_|Item\d|Response\d/.test(name));
  if (unnamed.length > 0) throw new GenerationFailed(`types without a name of ours: ${unnamed.join(', ')}`);
  return `openapi-generator wrote ${models.length} models, each with a name of ours`;
}
