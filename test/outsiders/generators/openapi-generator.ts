import { join } from 'node:path';
import { readdirSync, copyFileSync, readFileSync } from 'node:fs';
import { runCommand } from '../processes';
import { installed, ensureDebianProgram } from '../install';
import { openApiFile, root } from '../artifacts';
import { GenerationFailed, step } from './step';

const ARTIFACT = 'org.openapitools:openapi-generator-cli:7.17.0';

/** Installs openapi-generator, with Java and Maven. @returns its jar */
async function openApiGenerator(): Promise<string> {
  await ensureDebianProgram('javac', 'default-jdk-headless');
  await ensureDebianProgram('mvn', 'maven');
  const cached = await installed('openapi-generator', ARTIFACT, async (fresh) => {
    await runCommand('mvn', ['-q', '-B', 'dependency:copy', `-Dartifact=${ARTIFACT}`, `-DoutputDirectory=${fresh}`]);
  });
  const [, name = '', version = ''] = ARTIFACT.split(':');
  return join(cached, `${name}-${version}.jar`);
}

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

const OPTIONS = ['-g', 'java', '--library', 'native', '-p', 'hideGenerationTimestamp=true,useJakartaEe=true'];

/** openapi-generator for Java, compiled with a partner's code that reads a page of the feed as a later service may send it. */
export async function javaClient(folder: string): Promise<string> {
  const generate = ['-jar', await openApiGenerator(), 'generate', '-i', join(root, openApiFile)];
  await step('java', [...generate, ...OPTIONS, '-o', folder], { cwd: folder });
  copyFileSync(join(__dirname, 'java/Partner.java'), join(folder, 'src/main/java/Partner.java'));
  const classpath = join(folder, 'classpath');
  const build = ['-q', '-B', 'compile', 'dependency:build-classpath'];
  await step('mvn', [...build, `-Dmdep.outputFile=${classpath}`, '-DincludeScope=runtime'], { cwd: folder });
  const paths = `${join(folder, 'target/classes')}:${readFileSync(classpath, 'utf8').trim()}`;
  await step('java', ['-cp', paths, 'Partner'], { cwd: folder });
  return 'openapi-generator wrote code that compiles, and reads events, values and fields that it does not know';
}
