import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../assemblies';
import { runCommand } from '../command';
import type { Lane } from '../lane';
import { peakMemoryMb } from '../server';
import { installDynamoDbLocal, startDynamoDbLocal } from './engine';
import { readJestReport } from './jest-report';

/** Test files that are skipped, by a pattern of their paths, with the reason. */
const skippedFiles: Readonly<Record<string, string>> = {
  'test/(api|channels)/on-this-machine/': 'look at logs, at load, and at stacks of their own, not at what is stored',
  'test/api/refusals/': 'send no call that the other files do not send',
  'test/api/(paths|tokens-and-paths|bad-input)': 'send no call that the other files do not send',
};

/** Maximum characters shown of jest's output when it fails without a failed test, from its end. */
const MAX_SHOWN_CHARACTERS = 4000;

/** The tests' usual engine is third-party; this is Amazon's own, with its expressions and streams. */
export const dynamoDbLocal: Lane = {
  title: "the tests of the API and the channels, on Amazon's DynamoDB Local",
  run: async () => {
    const unused = unusedPatterns();
    if (unused.length > 0) return unused.map((pattern) => `no test file has the pattern ${pattern}`);
    const archives = await installDynamoDbLocal();
    for (const [pattern, reason] of Object.entries(skippedFiles)) console.log(`  skipped: ${pattern}, which ${reason}`);
    const folder = mkdtempSync(join(tmpdir(), 'outsiders-dynamodb-'));
    const engine = await startDynamoDbLocal(archives, folder);
    try {
      const file = join(folder, 'report.json');
      const ignored = ['--testPathIgnorePatterns', ...Object.keys(skippedFiles)];
      const args = [
        'node_modules/jest/bin/jest.js',
        '--selectProjects',
        'api',
        // More at the same time would wait for the engine, until tests reach their limits of time.
        '--maxWorkers',
        '3',
        '--json',
        '--outputFile',
        file,
        ...ignored,
      ];
      const { exitCode, stderr } = await runCommand(process.execPath, args, {
        cwd: root,
        env: { DYNAMODB_ENDPOINT: engine.url },
        exitCodes: [0, 1],
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

/** Patterns of `skippedFiles` that no file has any more. */
function unusedPatterns(): readonly string[] {
  const files = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' }).map((file) => `test/${file}`);
  return Object.keys(skippedFiles).filter((pattern) => !files.some((file) => new RegExp(pattern).test(file)));
}

function readFailures(file: string, memoryMb: number): readonly string[] {
  const { passed, total, failures, retried } = readJestReport(readFileSync(file, 'utf8'), root);
  console.log(`  ${passed} of ${total} tests passed; the engine took ${memoryMb} MB`);
  for (const title of retried) console.log(`  passed on retry only: ${title}`);
  return total === 0 ? ['no test was run'] : failures;
}
