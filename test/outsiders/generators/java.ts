import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../assemblies';
import { openApiFile } from '../documents';
import { openApiGenerator } from './openapi-generator';
import { step } from './step';

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
