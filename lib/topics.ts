import { Aws } from 'aws-cdk-lib/core';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnAuthorizer, CfnDomainConfiguration, CfnTopicRule } from 'aws-cdk-lib/aws-iot';
import { Construct } from 'constructs';
import { ApiFunction } from './api-function';
import type { Identity } from './identity';
import type { Tables } from './tables';

export interface TopicsProps {
  readonly identity: Identity;
  readonly tables: Tables;
  /** Folder that the bundles of all functions are in. */
  readonly bundles: string;
}

/** The channels over MQTTS: an endpoint of AWS IoT Core whose clients come with an access token. */
export class Topics extends Construct {
  static readonly entries = ['mqtt/authorize-connection', 'mqtt/count-subscriptions'];

  /** Name of the domain configuration; its address is what partners connect to. */
  readonly domainConfiguration: string;

  constructor(scope: Construct, id: string, { identity, tables, bundles }: TopicsProps) {
    super(scope, id);
    const iot = `arn:${Aws.PARTITION}:iot:${Aws.REGION}:${Aws.ACCOUNT_ID}`;
    const authorize = new ApiFunction(this, 'AuthorizeConnection', {
      entry: 'mqtt/authorize-connection',
      bundles,
      description: 'Tell who connects over MQTT and what the token allows',
      environment: { ISSUER: identity.issuer, RESOURCE_SERVER: identity.resourceServer, IOT_ARN: iot },
    }).uses(tables, { partners: ['get'] });
    const authorizer = new CfnAuthorizer(this, 'Authorizer', {
      authorizerFunctionArn: authorize.lambda.functionArn,
      // The password is a signed token already.
      signingDisabled: true,
      status: 'ACTIVE',
    });
    authorize.lambda.addPermission('Iot', {
      principal: new ServicePrincipal('iot.amazonaws.com'),
      sourceArn: authorizer.attrArn,
    });
    const configuration = new CfnDomainConfiguration(this, 'Domain', {
      serviceType: 'DATA',
      authorizerConfig: { defaultAuthorizerName: authorizer.ref, allowAuthorizerOverride: false },
      tlsConfig: { securityPolicy: 'IoTSecurityPolicy_TLS13_1_2_2022_10' },
    });
    this.domainConfiguration = configuration.ref;
    this.limitSubscriptions({ tables, bundles }, `${iot}:client/*`);
  }

  /** AWS IoT limits a connection, not a client with many of them (spec section 8). */
  private limitSubscriptions({ tables, bundles }: Pick<TopicsProps, 'tables' | 'bundles'>, connections: string): void {
    const count = new ApiFunction(this, 'CountSubscriptions', {
      entry: 'mqtt/count-subscriptions',
      bundles,
      description: 'End the connection with which a client goes beyond its subscriptions',
    }).uses(tables, { connections: ['put', 'query', 'delete'] });
    count.lambda.addToRolePolicy(new PolicyStatement({ actions: ['iot:DeleteConnection'], resources: [connections] }));
    for (const events of ['subscriptions', 'presence']) {
      const rule = new CfnTopicRule(this, `On-${events}`, {
        topicRulePayload: {
          sql: `SELECT * FROM '$aws/events/${events}/+/+'`,
          awsIotSqlVersion: '2016-03-23',
          actions: [{ lambda: { functionArn: count.lambda.functionArn } }],
        },
      });
      count.lambda.addPermission(`On-${events}`, {
        principal: new ServicePrincipal('iot.amazonaws.com'),
        sourceArn: rule.attrArn,
      });
    }
  }
}
