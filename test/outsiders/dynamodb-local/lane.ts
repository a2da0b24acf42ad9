import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { freePort } from 'cloud-assembly-runner/free-port';
import * as z from 'zod';
import { root } from '../artifacts';
import { peakMemoryMb, runCommand, startServer, type Server } from '../processes';
import type { Lane } from '../lane';
import { installed, ensureDebianProgram } from '../install';

const pom = join(__dirname, 'pom.xml');
const start = join(__dirname, 'Loopback.java');

/**
 * Installs Amazon's DynamoDB Local from Maven Central, under Amazon's licence for it.
 * @returns folder with its archives and native libraries
 * @throws {NotInstalled} without a Java development kit and Maven, or when it can't be downloaded
 */
async function installDynamoDbLocal(): Promise<string> {
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
async function startDynamoDbLocal(archives: string, logFolder: string): Promise<Server & { url: string }> {
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

const report = z.object({
  numPassedTests: z.number(),
  numTotalTests: z.number(),
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string(),
      assertionResults: z.array(
        z.object({
          fullName: z.string(),
          status: z.string(),
          failureMessages: z.array(z.string()).nullish(),
          invocations: z.number().optional(),
        }),
      ),
    }),
  ),
});

interface JestReport {
  readonly passed: number;
  readonly total: number;
  /** One text per test that failed at every try, and per file that could not be run. */
  readonly failures: readonly string[];
  /** Tests that passed only when retried. */
  readonly retried: readonly string[];
}

/** Maximum lines shown of a failure. */
const SHOWN_LINES = 40;

/**
 * @param json output of `jest --json`
 * @param root folder that file names are relative to
 * @throws ZodError for another format
 */
function readJestReport(json: string, root: string): JestReport {
  const { numPassedTests, numTotalTests, testResults } = report.parse(JSON.parse(json));
  const tests = testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map((test) => ({ ...test, title: `${name.replace(`${root}/`, '')}: ${test.fullName}` })),
  );
  const failed = tests.filter(({ status }) => status === 'failed');
  const notRun = testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
  );
  return {
    passed: numPassedTests,
    total: numTotalTests,
    failures: [
      ...failed.map(({ title, failureMessages }) => `${title}\n${shown(failureMessages?.at(-1) ?? '')}`),
      ...notRun.map(({ name, message }) => `${name.replace(`${root}/`, '')}\n${shown(message)}`),
    ],
    retried: tests
      .filter(({ status, invocations = 1 }) => status === 'passed' && invocations > 1)
      .map(({ title }) => title),
  };
}

const shown = (message: string) => stripVTControlCharacters(message).split('\n').slice(0, SHOWN_LINES).join('\n');

const LONGEST_RUN_MS = 1_500_000;

/** Maximum characters shown of jest's output when it fails without a failed test, from its end. */
const MAX_SHOWN_CHARACTERS = 4000;

/** The usual engine of the tests' stack is third-party; this is Amazon's own, with its expressions and streams. */
export const dynamoDbLocal: Lane = {
  title: "npm test, whose stack has Amazon's DynamoDB Local",
  run: async () => {
    const archives = await installDynamoDbLocal();
    const folder = mkdtempSync(join(tmpdir(), 'outsiders-dynamodb-'));
    const engine = await startDynamoDbLocal(archives, folder);
    try {
      const file = join(folder, 'report.json');
      const { exitCode, stderr } = await runCommand('npm', ['test', '--', '--json', '--outputFile', file], {
        cwd: root,
        env: { SHARED_STACK_DYNAMODB: engine.url },
        exitCodes: [0, 1],
        timeoutMs: LONGEST_RUN_MS,
      });
      const failures = readFailures(file, peakMemoryMb(engine.processId));
      // Jest can fail with all tests passed, for example when a log holds a secret.
      return exitCode !== 0 && failures.length === 0 ? [stderr.slice(-MAX_SHOWN_CHARACTERS)] : failures;
    } finally {
      await engine.stop();
      rmSync(folder, { recursive: true });
    }
  },
};

function readFailures(file: string, memoryMb: number): readonly string[] {
  const { passed, total, failures, retried } = readJestReport(readFileSync(file, 'utf8'), root);
  console.log(`  ${passed} of ${total} tests passed; the engine took ${memoryMb} MB`);
  for (const title of retried) console.log(`  passed on retry only: ${title}`);
  return total === 0 ? ['no test was run'] : failures;
}
