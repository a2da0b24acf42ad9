import './without-code';
import { Validations } from 'aws-cdk-lib/core';
import { AwsSolutionsChecks } from 'cdk-nag';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { endpointTable } from '../../contract/access';
import { addStacks } from '../../lib/stacks';
import { newApp } from './new-app';
import { smallTable } from './synthesised';

interface Report {
  readonly pluginReports: { pluginName: string; violations: { ruleName: string; violatingConstructs: object[] }[] }[];
}

/** What cdk-nag's AwsSolutions and CDK's own validation of the template find. */
function findings(choices: Record<string, string> = {}): string[] {
  const app = newApp(choices);
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  addStacks(app, endpointTable);
  jest.spyOn(console, 'error').mockImplementation();
  try {
    app.synth();
  } catch {
    // The report says why.
  }
  const report = JSON.parse(readFileSync(join(app.outdir, 'validation-report.json'), 'utf8')) as Report;
  return report.pluginReports.flatMap(({ violations }) => violations.map(({ ruleName }) => ruleName));
}

const webAclArn = 'arn:aws:wafv2:us-east-1:123456789012:global/webacl/edge/1-2';

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
    webRateLimit: '100000',
    edgeRateLimit: '2000',
    cloudFrontWebAclArn: webAclArn,
    tags: 'costCenter=42',
    permissionsBoundaryArn: 'arn:aws:iam::123456789012:policy/bound',
  };
  expect(findings(chosen)).toEqual([]);
});

describe('That there is no web ACL', () => {
  /** Rules that are explained away somewhere in the app. */
  const acknowledged = (choices: Record<string, string>): string[] => {
    const app = newApp(choices);
    addStacks(app, smallTable);
    return app.node
      .findAll()
      .flatMap(({ node }) => node.metadata.filter(({ type }) => type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY))
      .flatMap(({ data }) => JSON.stringify(data).match(/AwsSolutions-(APIG3|CFR2)/g) ?? [])
      .sort();
  };

  test.each([
    [{}, ['AwsSolutions-APIG3', 'AwsSolutions-CFR2']],
    [{ webRateLimit: '100000' }, ['AwsSolutions-CFR2']],
    [{ cloudFrontWebAclArn: webAclArn }, ['AwsSolutions-APIG3']],
  ])('is explained where it is so, not with %j', (choices, explained) => {
    expect(acknowledged(choices)).toEqual(explained);
  });
});
