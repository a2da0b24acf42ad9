import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import type { Template } from 'cloud-assembly-runner/cloudformation/template';
import { fullStack } from '../assemblies';
import { runCommand } from '../command';
import { ensureDebianProgram } from '../install/programs';
import type { Lane } from '../lane';
import { casesFor, type Case } from './cases';

const viewerFunction = z.object({
  FunctionCode: z.string(),
  FunctionConfig: z.object({ Runtime: z.literal('cloudfront-js-2.0') }),
});
/** CloudFront developer guide, "Quotas on CloudFront Functions". */
const MAX_CODE_BYTES = 10 * 1024;

/**
 * njs, the engine that CloudFront's JavaScript runtime is based on. This version is older than runtime 2.0: what it rejects
 * is outside the documented language, or too new to rely on.
 */
export const njs: Lane = {
  title: 'the CloudFront functions, run by njs',
  run: async () => {
    await ensureDebianProgram('njs', 'njs');
    const { template } = await fullStack();
    const tables = casesFor(stageOf(template));
    const functions = Object.entries(template.Resources).filter(([, { Type }]) => Type === 'AWS::CloudFront::Function');
    const findings = tables
      .filter(({ of }) => !functions.some(([logicalId]) => of.test(logicalId)))
      .map(({ of }) => `there is no function ${of.source} in the template`);
    for (const [logicalId, { Properties }] of functions) {
      const { FunctionCode } = viewerFunction.parse(Properties);
      const cases = tables.find(({ of }) => of.test(logicalId))?.cases;
      if (!cases) findings.push(`${logicalId} has no table of cases in test/outsiders/njs/cases.ts`);
      else findings.push(...(await runCases(logicalId, FunctionCode, cases)));
    }
    return findings;
  },
};

/** Name of the WebSocket API's only stage. */
function stageOf({ Resources }: Template): string {
  const stages = Object.values(Resources).filter(({ Type }) => Type === 'AWS::ApiGatewayV2::Stage');
  return z.tuple([z.object({ StageName: z.string() })]).parse(stages.map(({ Properties }) => Properties))[0].StageName;
}

async function runCases(logicalId: string, code: string, cases: readonly Case[]): Promise<string[]> {
  const bytes = Buffer.byteLength(code);
  if (bytes > MAX_CODE_BYTES) return [`${logicalId} has ${bytes} bytes, CloudFront takes ${MAX_CODE_BYTES}`];
  const folder = mkdtempSync(join(tmpdir(), 'outsiders-njs-'));
  const file = join(folder, 'function.js');
  const events = JSON.stringify(cases.map(({ event }) => event));
  // One line each: njs wraps long ones.
  writeFileSync(file, `${code}\n${events}.forEach((event) => console.log(JSON.stringify(handler(event))));\n`);
  try {
    const { exitCode, stdout, stderr } = await runCommand('njs', [file], { exitCodes: [0, 1], timeoutMs: 10_000 });
    if (exitCode !== 0) return [`${logicalId}: ${(stdout + stderr).trim().replaceAll(`${folder}/`, '')}`];
    const results = resultsIn(stdout, cases.length);
    console.log(`  ${logicalId}: ${cases.length} requests, ${bytes} bytes`);
    return cases.flatMap((one, index) => differences(logicalId, one, results[index] ?? {}));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** @throws ZodError for another number of results, SyntaxError when one is not JSON */
function resultsIn(stdout: string, count: number) {
  const lines = stdout.trimEnd().split('\n');
  return z
    .array(z.record(z.string(), z.unknown()))
    .length(count)
    .parse(lines.map((line): unknown => JSON.parse(line)));
}

function differences(
  logicalId: string,
  { event, expected }: Case,
  result: Readonly<Record<string, unknown>>,
): string[] {
  return Object.keys(expected)
    .filter((field) => !isDeepStrictEqual(result[field], expected[field]))
    .map((field) => {
      const [is, must] = [result[field], expected[field]].map((value) =>
        value === undefined ? 'nothing' : JSON.stringify(value),
      );
      return `${logicalId}, ${JSON.stringify(event.request.uri)}: ${field} is ${is} instead of ${must}`;
    });
}
