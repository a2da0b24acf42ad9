import { Aws } from 'aws-cdk-lib/core';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnAuthorizer, CfnDomainConfiguration, CfnTopicRule } from 'aws-cdk-lib/aws-iot';
import { Construct } from 'constructs';
import { ApiFunction } from '../functions/api-function';
import type { CustomDomain } from '../deployment-choices';
import type { Identity } from '../rest/identity';
import { ManagedMqttDomain } from './managed-mqtt-domain';
import type { Tables } from '../tables';
import { failing, type AlarmDefinition } from '../observability/alarm-definition';

/** Lifecycle events of AWS IoT that count. Failed attempts to connect would come under `presence` too. */
const events = [
  'presence/connected',
  'presence/disconnected',
  'subscriptions/subscribed',
  'subscriptions/unsubscribed',
];

export interface TopicsProps {
  /** Where partners reach it, beside the address that AWS IoT gives. */
  readonly domain: CustomDomain | undefined;
  readonly identity: Identity;
  readonly tables: Tables;
}

/** The channels over MQTTS: an endpoint of AWS IoT Core whose clients come with an access token. */
export class Topics extends Construct {
  /** Where partners connect: `mqtts://<host>:<port>`. */
  readonly url: string;
  readonly watched: readonly AlarmDefinition[];

  constructor(scope: Construct, id: string, { domain, identity, tables }: TopicsProps) {
    super(scope, id);
    const iot = `arn:${Aws.PARTITION}:iot:${Aws.REGION}:${Aws.ACCOUNT_ID}`;
    const authorize = new ApiFunction(this, 'AuthorizeConnection', {
      entry: 'mqtt/authorize-connection',
      description: 'Tell who connects over MQTT and what the token allows',
      environment: { ...identity.verification, IOT_ARN: iot },
      // AWS IoT waits no longer.
      timeoutSeconds: 5,
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
    const settings = {
      // Otherwise the port and ALPN would tell, and no client could connect to 8883 without a certificate.
      authenticationType: 'CUSTOM_AUTH',
      applicationProtocol: 'SECURE_MQTT',
      authorizerConfig: { defaultAuthorizerName: authorizer.ref, allowAuthorizerOverride: false },
      tlsConfig: { securityPolicy: 'IoTSecurityPolicy_TLS13_1_2_2022_10' },
    };
    const { domainName } = new ManagedMqttDomain(this, 'Managed', settings);
    if (domain) {
      new CfnDomainConfiguration(this, 'Domain', {
        ...settings,
        serviceType: 'DATA',
        // Sources disagree on what it is without: CloudFormation may create it disabled.
        domainConfigurationStatus: 'ENABLED',
        domainName: domain.name,
        serverCertificateArns: [domain.certificateArn],
      });
    }
    this.url = `mqtts://${domain?.name ?? domainName}:8883`;
    const count = this.limitSubscriptions({ tables }, `${iot}:client/*`);
    this.watched = [
      failing(authorize, 'Partners can not connect over MQTT: their tokens can not be verified'),
      failing(
        count,
        'Subscriptions of partners over MQTT are miscounted: some may hold too many, or lose a connection',
      ),
    ];
  }

  /** AWS IoT limits a connection, not a client with many of them (spec section 8). */
  private limitSubscriptions({ tables }: Pick<TopicsProps, 'tables'>, connections: string) {
    const count = new ApiFunction(this, 'CountSubscriptions', {
      entry: 'mqtt/count-subscriptions',
      description: 'End the connection with which a client goes beyond its subscriptions',
    }).uses(tables, { connections: ['put', 'query', 'delete'] });
    count.may(['iot:DeleteConnection'], [connections], 'Partners name their connections.');
    for (const event of events) {
      const name = `On-${event.split('/')[1] ?? ''}`;
      const rule = new CfnTopicRule(this, name, {
        topicRulePayload: {
          // The client id comes last and may have slashes.
          sql: `SELECT * FROM '$aws/events/${event}/#'`,
          awsIotSqlVersion: '2016-03-23',
          actions: [{ lambda: { functionArn: count.lambda.functionArn } }],
        },
      });
      count.lambda.addPermission(name, {
        principal: new ServicePrincipal('iot.amazonaws.com'),
        sourceArn: rule.attrArn,
      });
    }
    return count;
  }
}
