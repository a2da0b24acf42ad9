import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../assemblies';
import { runCommand } from '../command';
import type { Lane } from '../lane';
import { peakMemoryMb } from '../server';
import { installDynamoDbLocal, startDynamoDbLocal } from './engine';
import { readJestReport } from './jest-report';

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
