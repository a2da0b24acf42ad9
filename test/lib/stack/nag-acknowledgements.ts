import { Validations } from 'aws-cdk-lib/core';
import { addStacks } from '../../../lib/stack/stacks';
import { newApp } from '../new-app';
import { smallContract } from '../synthesised';

/** Which of cdk-nag's two rules on web ACLs are acknowledged in the app. */
function acknowledged(options: Record<string, string>): string[] {
  const app = newApp(options);
  addStacks(app, smallContract);
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
])('a missing web ACL is acknowledged only where there is none, with %j', (options, rules) => {
  expect(acknowledged(options)).toEqual(rules);
});
