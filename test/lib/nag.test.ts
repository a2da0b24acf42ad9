import { App, Validations } from 'aws-cdk-lib/core';
import { AwsSolutionsChecks } from 'cdk-nag';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import cdkJson from '../../cdk.json';
import { endpointTable } from '../../contract/access';
import { DroneMissionApiStack } from '../../lib/drone-mission-api-stack';

interface Report {
  readonly pluginReports: { pluginName: string; violations: { ruleName: string; violatingConstructs: object[] }[] }[];
}

/** What cdk-nag's AwsSolutions and CDK's own validation of the template find. */
function findings(): string[] {
  const app = new App({ context: cdkJson.context });
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  new DroneMissionApiStack(app, 'DroneMissionApi', { endpoints: endpointTable });
  jest.spyOn(console, 'error').mockImplementation();
  try {
    app.synth();
  } catch {
    // The report says why.
  }
  const report = JSON.parse(readFileSync(join(app.outdir, 'validation-report.json'), 'utf8')) as Report;
  return report.pluginReports.flatMap(({ violations }) => violations.map(({ ruleName }) => ruleName));
}

test('cdk-nag and CloudFormation’s rules find nothing that is not explained', () => {
  expect(findings()).toEqual([]);
});
