import { Aws, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib/core';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { AwsCustomResource, PhysicalResourceId, type AwsSdkCall } from 'aws-cdk-lib/custom-resources';
import { Construct } from 'constructs';
import { ServiceRole } from '../foundation/service-role';
import { nagName } from '../foundation/nag-name';

/** Settings of every domain configuration, as named in AWS IoT's API. */
export interface MqttDomainSettings {
  readonly authenticationType: string;
  readonly applicationProtocol: string;
  readonly authorizerConfig: { readonly defaultAuthorizerName: string; readonly allowAuthorizerOverride: boolean };
  readonly tlsConfig: { readonly securityPolicy: string };
}

/**
 * An IoT domain configuration whose domain name AWS assigns and manages. AWS deletes one only after it has been disabled
 * for 7 days ("AWS Managed Domain Configuration must be disabled for at least 7 days before it can be deleted"), so as an
 * `AWS::IoT::DomainConfiguration` it would make the rollback of a first deployment and every deletion fail. Here it is created
 * if none of its name exists, enabled with the stack's settings, and, when the stack is deleted, disabled and separated from its
 * authorizer: AWS IoT deletes no authorizer that a configuration names (API reference, DeleteAuthorizer). A recreated
 * stack finds it again, with the same domain name. `npm run mqtt-domains` deletes what no stack needs any more.
 */
export class ManagedMqttDomain extends Construct {
  /** Domain name that clients connect to. */
  readonly domainName: string;

  /** The function of the custom resources is one for the stack, so its role and log are shared. */
  private readonly caller: { readonly role: ServiceRole; readonly logGroup: LogGroup };

  /**
   * @param purpose distinguishes the configurations of a stack
   * @param first the configuration that was created before, if this is the second one
   */
  constructor(scope: Construct, id: string, settings: MqttDomainSettings, purpose = 'mqtt', first?: ManagedMqttDomain) {
    super(scope, id);
    this.caller = first?.caller ?? this.createCaller();
    // One per stack and purpose, found again by its name; names consist of letters, digits, `_`, `.` and `-`.
    const domainConfigurationName = `${Stack.of(this).stackName}-${purpose}`;
    const arn = `arn:${Aws.PARTITION}:iot:${Aws.REGION}:${Aws.ACCOUNT_ID}:domainconfiguration/${domainConfigurationName}/*`;
    const call = (action: string, parameters: object, more: Partial<AwsSdkCall> = {}): AwsSdkCall => ({
      service: 'iot',
      action,
      parameters: { domainConfigurationName, ...parameters },
      physicalResourceId: PhysicalResourceId.of(domainConfigurationName),
      ...more,
    });
    const update = (parameters: object, more?: Partial<AwsSdkCall>) =>
      call('updateDomainConfiguration', parameters, more);
    const resource = this.customResourceFactory(arn);

    const created = resource('Created', ['CreateDomainConfiguration', 'UpdateDomainConfiguration'], {
      onCreate: call(
        'createDomainConfiguration',
        { serviceType: 'DATA', ...settings },
        { ignoreErrorCodesMatching: 'ResourceAlreadyExistsException' },
      ),
      // Here, since a first deployment may fail before the next resource. If AWS IoT should refuse it, the deletion goes on: it
      // fails at the authorizer, and only if that matters.
      onDelete: update(
        { domainConfigurationStatus: 'DISABLED', removeAuthorizerConfig: true },
        { ignoreErrorCodesMatching: 'ResourceNotFoundException|InvalidRequestException' },
      ),
    });
    const enabled = resource('Enabled', ['UpdateDomainConfiguration'], {
      onUpdate: update({ domainConfigurationStatus: 'ENABLED', ...settings }),
      onDelete: update(
        { domainConfigurationStatus: 'DISABLED' },
        { ignoreErrorCodesMatching: 'ResourceNotFoundException' },
      ),
    });
    enabled.node.addDependency(created);
    const described = resource('Address', ['DescribeDomainConfiguration'], {
      onUpdate: call('describeDomainConfiguration', {}, { outputPaths: ['domainName'] }),
    });
    described.node.addDependency(enabled);
    this.domainName = described.getResponseField('domainName');
  }

  private createCaller() {
    const logGroup = new LogGroup(this, 'Log', {
      retention: RetentionDays.THREE_MONTHS,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const role = new ServiceRole(this, 'Role', new ServicePrincipal('lambda.amazonaws.com'));
    logGroup.grantWrite(role);
    return { role, logGroup };
  }

  /** Returns a function that creates custom resources that call AWS IoT's API, for this configuration only. */
  private customResourceFactory(arn: string) {
    const { role, logGroup } = this.caller;
    Validations.of(role).acknowledge({
      id: `AwsSolutions-IAM5[Resource::${nagName(this, arn)}]`,
      reason: 'AWS IoT appends a generated id to the name of a domain configuration.',
    });
    return (id: string, operations: string[], calls: Record<string, AwsSdkCall>): AwsCustomResource => {
      const actions = operations.map((operation) => `iot:${operation}`);
      role.addToPolicy(new PolicyStatement({ actions, resources: [arn] }));
      const resource = new AwsCustomResource(this, id, {
        resourceType: `Custom::MqttDomain${id}`,
        ...calls,
        role,
        logGroup,
        installLatestAwsSdk: false,
      });
      resource.node.addDependency(role);
      const provider = Stack.of(this).node.children.find(({ node }) => node.id.startsWith('AWS679'));
      if (provider)
        Validations.of(provider).acknowledge({ id: 'AwsSolutions-L1', reason: 'The CDK chooses its runtime.' });
      return resource;
    };
  }
}
