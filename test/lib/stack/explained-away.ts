import { Validations } from 'aws-cdk-lib/core';
import { addStacks } from '../../../lib/stacks';
import { newApp } from '../new-app';
import { smallTable } from '../synthesised';

/** Those of cdk-nag's two rules about web ACLs that are explained away somewhere in the app. */
function explained(choices: Record<string, string>): string[] {
  const app = newApp(choices);
  addStacks(app, smallTable);
  return app.node
    .findAll()
    .flatMap(({ node }) => node.metadata.filter(({ type }) => type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY))
    .flatMap(({ data }) => JSON.stringify(data).match(/AwsSolutions-(APIG3|CFR2)/g) ?? [])
    .sort();
}

test.each([
  [{}, ['AwsSolutions-APIG3', 'AwsSolutions-CFR2']],
  [{ webRateLimit: '100000' }, ['AwsSolutions-CFR2']],
  [{ cloudFrontWebAclArn: 'arn:aws:wafv2:us-east-1:123456789012:global/webacl/edge/1-2' }, ['AwsSolutions-APIG3']],
])('That there is no web ACL is explained where it is so, not with %j', (choices, rules) => {
  expect(explained(choices)).toEqual(rules);
});
