import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../assemblies';
import { runCommand } from '../command';
import { openApiFile } from '../documents';
import { installed } from '../install/cache';
import { ensureDebianProgram } from '../install/debian';
import { step } from './step';

const ARTIFACT = 'org.openapitools:openapi-generator-cli:7.17.0';
const OPTIONS = ['-g', 'java', '--library', 'native', '-p', 'hideGenerationTimestamp=true,useJakartaEe=true'];

/** openapi-generator for Java, compiled with a partner's code that reads a page of the feed as a later service may send it. */
export async function javaClient(folder: string): Promise<string> {
  await ensureDebianProgram('javac', 'default-jdk-headless');
  await ensureDebianProgram('mvn', 'maven');
  const cached = await installed('openapi-generator', ARTIFACT, async (fresh) => {
    await runCommand('mvn', ['-q', '-B', 'dependency:copy', `-Dartifact=${ARTIFACT}`, `-DoutputDirectory=${fresh}`]);
  });
  const [, name = '', version = ''] = ARTIFACT.split(':');
  const generate = ['-jar', join(cached, `${name}-${version}.jar`), 'generate', '-i', join(root, openApiFile)];
  await step('java', [...generate, ...OPTIONS, '-o', folder], { cwd: folder });
  copyFileSync(join(__dirname, 'java/Partner.java'), join(folder, 'src/main/java/Partner.java'));
  const classpath = join(folder, 'classpath');
  const build = ['-q', '-B', 'compile', 'dependency:build-classpath'];
  await step('mvn', [...build, `-Dmdep.outputFile=${classpath}`, '-DincludeScope=runtime'], { cwd: folder });
  const paths = `${join(folder, 'target/classes')}:${readFileSync(classpath, 'utf8').trim()}`;
  await step('java', ['-cp', paths, 'Partner'], { cwd: folder });
  return 'openapi-generator wrote code that compiles, and reads events, values and fields that it does not know';
}
