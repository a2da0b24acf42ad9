import './without-code';
import { Validations } from 'aws-cdk-lib/core';
import { AwsSolutionsChecks } from 'cdk-nag';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { endpointTable } from '../../contract/access';
import { DroneMissionApiStack } from '../../lib/drone-mission-api-stack';
import { newApp } from './new-app';

interface Report {
  readonly pluginReports: { pluginName: string; violations: { ruleName: string; violatingConstructs: object[] }[] }[];
}

/** What cdk-nag's AwsSolutions and CDK's own validation of the template find. */
function findings(choices: Record<string, string> = {}): string[] {
  const app = newApp(choices);
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

test('nor with everything that may be chosen', () => {
  const certificate = (region: string) => `arn:aws:acm:${region}:123456789012:certificate/abc`;
  const chosen = {
    simulatedFleet: 'true',
    domainName: 'api.example.com',
    certificateArn: certificate('eu-west-1'),
    webSocketDomainName: 'channels.example.com',
    webSocketCertificateArn: certificate('us-east-1'),
    mqttDomainName: 'mqtt.example.com',
    mqttCertificateArn: certificate('eu-west-1'),
  };
  expect(findings(chosen)).toEqual([]);
});
