import { RemovalPolicy, Stack, Validations } from 'aws-cdk-lib/core';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { CfnDomainConfiguration } from 'aws-cdk-lib/aws-iot';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { AwsCustomResource, AwsCustomResourcePolicy, PhysicalResourceId } from 'aws-cdk-lib/custom-resources';
import { Construct } from 'constructs';

/**
 * The address that AWS IoT gives to a domain configuration without a name of its own. CloudFormation does not tell it
 * (template reference, AWS::IoT::DomainConfiguration, "Return values"), so AWS IoT is asked at deployment.
 */
export class MqttAddress extends Construct {
  /** Domain name that partners connect to. */
  readonly name: string;

  constructor(scope: Construct, id: string, configuration: CfnDomainConfiguration) {
    super(scope, id);
    const logGroup = new LogGroup(this, 'Log', {
      retention: RetentionDays.THREE_MONTHS,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    logGroup.grantWrite(role);
    const asked = new AwsCustomResource(this, 'Asked', {
      resourceType: 'Custom::MqttAddress',
      onUpdate: {
        service: 'iot',
        action: 'describeDomainConfiguration',
        parameters: { domainConfigurationName: configuration.ref },
        physicalResourceId: PhysicalResourceId.of(configuration.ref),
        outputPaths: ['domainName'],
      },
      policy: AwsCustomResourcePolicy.fromStatements([
        new PolicyStatement({ actions: ['iot:DescribeDomainConfiguration'], resources: [configuration.attrArn] }),
      ]),
      role,
      logGroup,
      installLatestAwsSdk: false,
    });
    this.name = asked.getResponseField('domainName');
    const asker = Stack.of(this).node.children.find(({ node }) => node.id.startsWith('AWS679'));
    if (asker) Validations.of(asker).acknowledge({ id: 'AwsSolutions-L1', reason: 'The CDK chooses its runtime.' });
  }
}
