import { mkdtempSync, rmSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { root } from '../assemblies';
import { runCommand } from '../command';
import { openApiFile } from '../documents';
import { pythonWith } from '../install/python';
import type { Lane } from '../lane';
import { startOnboardedStack, type OnboardedStack } from './stack';

/** Schemathesis's JSON report, as far as it is used. */
const report = z.object({
  schemathesis_version: z.string(),
  seed: z.int(),
  complete: z.boolean(),
  operations: z.object({ total: z.int(), tested: z.int() }),
  test_cases: z.object({ generated: z.int() }),
  failures: z.array(z.object({ code: z.string(), title: z.string(), count: z.int(), operations: z.array(z.string()) })),
  errors: z.array(z.unknown()),
  warnings: z.object({ missing_auth: z.array(z.unknown()), missing_test_data: z.array(z.unknown()) }),
});

const accepted = z.array(z.object({ reason: z.string(), count: z.int() }));

type Report = z.output<typeof report>;

const readReport = (file: string): Report => report.parse(JSON.parse(readFileSync(file, 'utf8')));

/** The counts of accepted failures that `hooks.py` writes. */
const readAccepted = (file: string) => accepted.parse(JSON.parse(readFileSync(file, 'utf8')));

/** Another one, or a random one, finds other cases: `SCHEMATHESIS_SEED`. */
const SEED = process.env['SCHEMATHESIS_SEED'] ?? '13';
/** Of each operation and phase, together more than LEAST_CASES: `SCHEMATHESIS_EXAMPLES`. */
const MAX_EXAMPLES = process.env['SCHEMATHESIS_EXAMPLES'] ?? '60';
const LEAST_CASES = 3000;
const OPTIONS = [
  '--checks',
  'all',
  '--mode',
  'all',
  '--phases',
  'examples,coverage,fuzzing,stateful',
  '--seed',
  SEED,
  '--max-examples',
  MAX_EXAMPLES,
  '--workers',
  '1',
  '--generation-database',
  'none',
  // Only a request that hangs takes so long, also on a busy machine.
  '--continue-on-failure',
  '--request-timeout',
  '60',
];
/** Ends a run that hangs: on two idle cores it takes three minutes. */
const TWENTY_MINUTES_MS = 1_200_000;

/** What is not asked, with the reason. */
const leftOut: Readonly<Record<string, string>> = {
  'access between organisations': 'the tests in test/api/jobs/ and test/api/shares/ try it for every endpoint',
  'answers 429 and 5xx': 'the stack is not overloaded; test/api/limits.test.ts and test/faults/ test them',
};

/** Generates requests from the OpenAPI document, valid and invalid ones, and checks every answer by the document. */
export const schemathesis: Lane = {
  title: 'the API on this machine, by requests that schemathesis makes from the OpenAPI document',
  run: async () => {
    const python = await pythonWith('schemathesis', join(__dirname, 'requirements.txt'));
    const folder = mkdtempSync(join(tmpdir(), 'outsiders-schemathesis-'));
    const stack = await startOnboardedStack();
    try {
      return await judge(python, stack, folder);
    } finally {
      await stack.stop();
      rmSync(folder, { recursive: true });
    }
  },
};

async function judge(python: string, stack: OnboardedStack, folder: string): Promise<string[]> {
  const reportFile = join(folder, 'report.json');
  const acceptedFile = join(folder, 'accepted.json');
  const target = [join(root, openApiFile), '--url', stack.url, '--report-json-path', reportFile];
  const { stdout } = await runCommand(python, ['-m', 'schemathesis.cli', '--no-color', 'run', ...target, ...OPTIONS], {
    // Where it looks for a configuration and keeps its cache.
    cwd: folder,
    env: {
      PYTHONPATH: __dirname,
      PYTHONDONTWRITEBYTECODE: '1',
      SCHEMATHESIS_HOOKS: 'hooks',
      STACK_URL: stack.url,
      STACK_PARTNERS: stack.partnersFile,
      STACK_FLYING_DEVICE: stack.flyingDevice,
      ACCEPTED_FAILURES: acceptedFile,
    },
    exitCodes: [0, 1],
    timeoutMs: TWENTY_MINUTES_MS,
  });
  const report = readReport(reportFile);
  const accepted = readAccepted(acceptedFile);
  print(report);
  // Ids differ in each run, so a rare one need not occur.
  for (const { reason, count } of accepted) console.log(`  accepted, ${count} times: ${reason}`);
  for (const [what, reason] of Object.entries(leftOut)) console.log(`  left out: ${what}, since ${reason}`);
  const failures = report.failures.map(
    ({ code, title, count, operations }) => `${code} ${title}, ${count} times: ${operations.join(', ')}`,
  );
  return [...(failures.length > 0 ? [...failures, failuresIn(stdout)] : []), ...shortcomings(report)];
}

function print({ schemathesis_version: version, seed, operations, test_cases: cases }: Report): void {
  console.log(
    `  schemathesis ${version}: ${cases.generated} requests to ${operations.tested} of ${operations.total} operations, ` +
      `seed ${seed}`,
  );
}

/** Why a run without failures would prove too little. */
function shortcomings({ complete, operations, test_cases: cases, errors, warnings }: Report): string[] {
  return [
    ...(complete && operations.tested === operations.total ? [] : ['not all operations were tested']),
    ...(cases.generated >= LEAST_CASES
      ? []
      : [`only ${cases.generated} requests, but should be ${LEAST_CASES} or more`]),
    ...errors.map((error) => `error: ${JSON.stringify(error)}`),
    ...warnings.missing_auth.map((one) => `only refused for missing access: ${JSON.stringify(one)}`),
    ...warnings.missing_test_data.map((one) => `only 404, since nothing exists: ${JSON.stringify(one)}`),
  ];
}

/** The part of schemathesis's output that explains the failures, with commands that repeat them. */
const failuresIn = (output: string) => /=+ FAILURES =+\n([^]*?)\n=+ /.exec(output)?.[1] ?? output;
