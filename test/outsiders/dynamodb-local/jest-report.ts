import { stripVTControlCharacters } from 'node:util';
import * as z from 'zod';

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

export interface JestReport {
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
export function readJestReport(json: string, root: string): JestReport {
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
