import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../assemblies';
import { runCommand } from '../command';
import type { Lane } from '../lane';
import { peakMemoryMb } from '../server';
import { installDynamoDbLocal, startDynamoDbLocal } from './engine';
import { readJestReport } from './jest-report';

/** Test files that are left out, each with the reason. */
const leftOut: Readonly<Record<string, string>> = {
  'simulated-fleet': 'starts a stack of its own, and two stacks cannot share the tables of one engine',
  'share-page': 'a browser: what it does to the store, telemetry-viewers does too',
};

/** Characters of what jest printed last that are shown when it fails without a failed test. */
const SHOWN = 4000;

/** The engine of the tests is another one's DynamoDB; this is Amazon's own, with its expressions and its streams. */
export const dynamoDbLocal: Lane = {
  title: "the tests of the API and the channels, on Amazon's DynamoDB Local",
  run: async () => {
    const archives = await installDynamoDbLocal();
    for (const [name, reason] of Object.entries(leftOut)) console.log(`  left out: ${name}.test.ts, ${reason}`);
    const folder = mkdtempSync(join(tmpdir(), 'outsiders-dynamodb-'));
    const engine = await startDynamoDbLocal(archives, folder);
    try {
      const file = join(folder, 'report.json');
      const ignored = ['--testPathIgnorePatterns', ...Object.keys(leftOut)];
      const args = [
        'node_modules/jest/bin/jest.js',
        '--selectProjects',
        'api',
        'smoke',
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
      const failures = judge(file, peakMemoryMb(engine.processId));
      // Jest fails at its end too, with all tests passed, such as when a log holds a secret.
      return exitCode !== 0 && failures.length === 0 ? [stderr.slice(-SHOWN)] : failures;
    } finally {
      await engine.stop();
      rmSync(folder, { recursive: true });
    }
  },
};

function judge(file: string, memoryMb: number): readonly string[] {
  const { passed, total, failures, retried } = readJestReport(readFileSync(file, 'utf8'), root);
  console.log(`  ${passed} of ${total} tests passed; the engine took ${memoryMb} MB`);
  for (const title of retried) console.log(`  at the second try only: ${title}`);
  return total === 0 ? ['no test was run'] : failures;
}
