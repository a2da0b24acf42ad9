import { Aws, Duration } from 'aws-cdk-lib/core';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnAuthorizer, CfnDomainConfiguration, CfnTopicRule } from 'aws-cdk-lib/aws-iot';
import { Construct } from 'constructs';
import type { TableUses } from '../../contract/terms/endpoint';
import { mqttClientIdPattern } from '../../contract/channels/mqtt-client-id';
import { ApiFunction } from '../functions/api-function';
import type { CustomDomain } from '../foundation/deployment-options';
import type { UserPoolWithKeys } from '../access/user-pool';
import { ManagedMqttDomain } from './managed-mqtt-domain';
import type { Tables } from '../foundation/tables';
import { alarmOnErrors, countErrors } from '../functions/error-alarm';
import { publishOutputs } from '../foundation/publish-outputs';

/** Lifecycle events of AWS IoT to consume, by rule. `presence/#` would include failed attempts to connect. */
const events = {
  'On-connected': 'presence/connected',
  'On-disconnected': 'presence/disconnected',
  'On-subscriptions': 'subscriptions',
};

/** What has an attribute until when its topic has subscribers. */
const followedUntil: TableUses = { jobs: ['update'], shares: ['update'], fleet: ['update'] };

export interface MqttChannelsProps {
  /** Custom domain, in addition to the address that AWS IoT assigns. */
  readonly domain: CustomDomain | undefined;
  readonly identity: UserPoolWithKeys;
  readonly tables: Tables;
}

/** The channels over MQTTS: an AWS IoT Core endpoint whose clients authenticate with an access token. */
export class MqttChannels extends Construct {
  readonly managed: ManagedMqttDomain;
  /** `<name>:<port>` */
  readonly host: string;

  constructor(scope: Construct, id: string, { domain, identity, tables }: MqttChannelsProps) {
    super(scope, id);
    const iot = `arn:${Aws.PARTITION}:iot:${Aws.REGION}:${Aws.ACCOUNT_ID}`;
    const authorize = new ApiFunction(this, 'AuthorizeConnection', {
      entry: 'channels/authorize-connection',
      description: 'Verify the access token of an MQTT connection and return its policy',
      environment: { ...identity.verification, IOT_ARN: iot },
      // AWS IoT's limit for custom authorizers.
      timeoutSeconds: 5,
    }).uses(tables, { partners: ['get'], connections: ['query', 'put', 'update'] }, followedUntil);
    const clients = [`${iot}:client/*`];
    authorize.allow(['iot:ListSubscriptions'], clients, 'Partners choose the ids of their connections.');
    const authorizer = new CfnAuthorizer(this, 'Authorizer', {
      authorizerFunctionArn: authorize.lambda.functionArn,
      // The password is a signed token itself.
      signingDisabled: true,
      status: 'ACTIVE',
    });
    authorize.lambda.addPermission('Iot', {
      principal: new ServicePrincipal('iot.amazonaws.com'),
      sourceArn: authorizer.attrArn,
    });
    const settings = {
      // By default port and ALPN decide, and port 8883 requires a client certificate.
      authenticationType: 'CUSTOM_AUTH',
      applicationProtocol: 'SECURE_MQTT',
      authorizerConfig: { defaultAuthorizerName: authorizer.ref, allowAuthorizerOverride: false },
      tlsConfig: { securityPolicy: 'IoTSecurityPolicy_TLS13_1_2_2022_10' },
    };
    const { domainName } = (this.managed = new ManagedMqttDomain(this, 'Managed', settings));
    if (domain) {
      new CfnDomainConfiguration(this, 'Domain', {
        ...settings,
        serviceType: 'DATA',
        // Sources disagree on the default: CloudFormation may create it disabled.
        domainConfigurationStatus: 'ENABLED',
        domainName: domain.name,
        serverCertificateArns: [domain.certificateArn],
      });
    }
    this.host = `${domain?.name ?? domainName}:8883`;
    publishOutputs(this, { MqttUrl: `mqtts://${this.host}` });
    const count = this.followSubscriptions({ tables }, clients);
    countErrors(authorize, 'mqtt');
    alarmOnErrors(
      this,
      'mqtt',
      {
        urgency: 'page',
        impact: 'Partners can’t connect over MQTT, or get nothing for five minutes after they subscribe',
      },
      { authorizer: authorize.lambda.metricErrors(), subscriptions: count.lambda.metricErrors() },
    );
  }

  /**
   * Jobs, shares and positions are published only to topics with subscribers. And AWS IoT limits the subscriptions of a
   * connection, but not those of a client with several (spec section 8).
   */
  private followSubscriptions({ tables }: Pick<MqttChannelsProps, 'tables'>, clients: string[]) {
    const count = new ApiFunction(this, 'CountSubscriptions', {
      entry: 'channels/count-subscriptions',
      description: 'Note which topics have subscribers, and close the connection with which a client exceeds its limit',
    }).uses(tables, { partners: ['get'], connections: ['put', 'query', 'delete'] }, followedUntil);
    // After an hour the subscription has ended with its token, and a lost one is found within five minutes.
    count.lambda.configureAsyncInvoke({ maxEventAge: Duration.hours(1), retryAttempts: 2 });
    count.allow(['iot:DeleteConnection'], clients, 'Partners choose the ids of their connections.');
    for (const [name, event] of Object.entries(events)) {
      const rule = new CfnTopicRule(this, name, {
        topicRulePayload: {
          // The client id comes last and may contain slashes. The events are those of the whole account: of viewers,
          // and of other services.
          sql: `SELECT * FROM '$aws/events/${event}/#' WHERE regexp_matches(clientId, '${mqttClientIdPattern.source}')`,
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
