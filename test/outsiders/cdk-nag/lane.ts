import { App, Stack, Validations, type IPolicyValidationPlugin } from 'aws-cdk-lib/core';
import { CfnBucket } from 'aws-cdk-lib/aws-s3';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import cdkJson from '../../../cdk.json';
import { contract } from '../../../contract/contract';
import { addStacks } from '../../../lib/stack/stacks';
import { everyOption } from '../../../bin/deployer-policy/every-option';
import type { Lane } from '../lane';

// Its own declarations import all of aws-cdk-lib, which would be half of what the compiler reads for the tests.
const { AwsSolutionsChecks } = createRequire(__filename)('cdk-nag') as {
  AwsSolutionsChecks: new (app: App) => IPolicyValidationPlugin;
};

/** The CDK's validation report: the validations with findings. */
const validationReport = z.object({
  pluginReports: z.array(
    z.object({
      pluginName: z.string(),
      violations: z.array(
        z.object({
          ruleName: z.string(),
          description: z.string(),
          violatingConstructs: z.array(z.object({ constructPath: z.string().optional() })),
        }),
      ),
    }),
  ),
});

/** cdk-nag's AwsSolutions rules, and the CDK's validation against CloudFormation's schemas. */
export const cdkNag: Lane = {
  title: 'the app, by default and with every choice, by cdk-nag and CloudFormation’s schemas',
  run: () => {
    const bad = findingsOf((app) => new CfnBucket(new Stack(app, 'Bad'), 'Bucket', { accessControl: 'Nobody' }));
    const judges = new Set(bad.map(({ judge }) => judge));
    if (judges.size !== 2) throw new Error(`for a bad bucket only these have findings: ${[...judges].join(', ')}`);
    const found = [{}, everyOption].flatMap((choices) =>
      findingsOf((app) => addStacks(app, contract), { ...cdkJson.context, ...choices }),
    );
    return Promise.resolve(found.map(({ judge, text }) => `${judge} ${text}`));
  },
};

/** Findings in an app that it does not acknowledge. */
function findingsOf(
  build: (app: App) => void,
  context: Readonly<Record<string, unknown>> = {},
): { judge: string; text: string }[] {
  const outdir = mkdtempSync(join(tmpdir(), 'outsiders-cdk-nag-'));
  // The CDK also prints its report.
  const { error } = console;
  console.error = () => undefined;
  try {
    const app = new App({ outdir, context });
    Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
    build(app);
    try {
      app.synth();
    } catch {
      // The report has the reason.
    }
    const report = validationReport.parse(JSON.parse(readFileSync(join(outdir, 'validation-report.json'), 'utf8')));
    return report.pluginReports.flatMap(({ pluginName, violations }) =>
      violations.map(({ ruleName, description, violatingConstructs }) => {
        const where = violatingConstructs.map(({ constructPath = '?' }) => constructPath).join(', ');
        return { judge: pluginName, text: `${ruleName}: ${description} (${where})` };
      }),
    );
  } finally {
    console.error = error;
    rmSync(outdir, { recursive: true });
  }
}
