import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from 'cloud-assembly-runner/free-port';
import { runCommand } from '../command';
import { installed } from '../install/cache';
import { ensureDebianProgram } from '../install/debian';
import { startServer, type Server } from '../server';

const pom = join(__dirname, 'pom.xml');
const start = join(__dirname, 'Loopback.java');

/**
 * Installs Amazon's DynamoDB Local from Maven Central, under Amazon's licence for it.
 * @returns folder with its archives and native libraries
 * @throws {NotInstalled} without a Java development kit and Maven, or when it can't be downloaded
 */
export async function installDynamoDbLocal(): Promise<string> {
  await ensureDebianProgram('javac', 'default-jdk-headless');
  await ensureDebianProgram('mvn', 'maven');
  return installed('dynamodb-local', readFileSync(pom, 'utf8'), async (folder) => {
    const options = ['-q', '-B', '-f', pom, `-DoutputDirectory=${folder}`, '-DincludeScope=runtime'];
    await runCommand('mvn', [...options, 'dependency:copy-dependencies']);
  });
}

/**
 * Starts it on a free port of 127.0.0.1, in memory.
 * @param archives folder where it is installed
 * @param logFolder folder for its log
 */
export async function startDynamoDbLocal(archives: string, logFolder: string): Promise<Server & { url: string }> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const server = await startServer({
    command: 'java',
    // One compiler and one collector take half the processor time of the usual ones, in a run of minutes.
    args: [
      '-Xmx1g',
      '-XX:TieredStopAtLevel=1',
      '-XX:+UseSerialGC',
      `-Djava.library.path=${archives}`,
      '-cp',
      join(archives, '*'),
      start,
      String(port),
    ],
    env: { DDB_LOCAL_TELEMETRY: '0' },
    cwd: logFolder,
    logFile: join(logFolder, 'dynamodb-local.log'),
    url,
    // For a server that hangs: one that ends is noticed at once.
    readyWithinMs: 120_000,
  });
  return { ...server, url };
}
