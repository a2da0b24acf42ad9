import { join } from 'node:path';
import { runCommand } from '../command';
import { installed } from '../install/cache';
import { ensureDebianProgram } from '../install/debian';

const ARTIFACT = 'org.openapitools:openapi-generator-cli:7.17.0';

/** Installs openapi-generator, with Java and Maven. @returns its jar */
export async function openApiGenerator(): Promise<string> {
  await ensureDebianProgram('javac', 'default-jdk-headless');
  await ensureDebianProgram('mvn', 'maven');
  const cached = await installed('openapi-generator', ARTIFACT, async (fresh) => {
    await runCommand('mvn', ['-q', '-B', 'dependency:copy', `-Dartifact=${ARTIFACT}`, `-DoutputDirectory=${fresh}`]);
  });
  const [, name = '', version = ''] = ARTIFACT.split(':');
  return join(cached, `${name}-${version}.jar`);
}
