import { CfnOutput, Stack, Stage, type StackProps } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { join } from 'node:path';
import { Alarms } from './alarms';
import { Authorizer } from './authorizer';
import { bundle } from './bundle';
import { deploymentChoices } from './deployment-choices';
import type { EndpointTable } from './endpoint-table';
import { Endpoints } from './endpoints';
import { Identity } from './identity';
import { RestApi } from './rest-api';
import { StatusChannels } from './status-channels';
import { Tables } from './tables';

export interface DroneMissionApiStackProps extends StackProps {
  readonly endpoints: EndpointTable;
}

/** The whole service: what partners call, who they are, what serves them, and where it is kept. */
export class DroneMissionApiStack extends Stack {
  constructor(scope: Construct, id: string, { endpoints: table, ...props }: DroneMissionApiStackProps) {
    super(scope, id, { description: 'Drone mission integration API', ...props });
    const { removeData, domain, shareBaseUrl, alarmTopicArn, ...domains } = deploymentChoices(this.node);
    const bundles = join(Stage.of(this)?.assetOutdir ?? '', 'functions');
    bundle([Authorizer.entry, ...Endpoints.entries(table), ...StatusChannels.entries], bundles);

    const tables = new Tables(this, 'Tables', { removeData });
    const api = new RestApi(this, 'RestApi', { table, domain });
    const identity = new Identity(this, 'Identity', { baseUrl: api.baseUrl, removeData });
    const authorizer = new Authorizer(this, 'Authorizer', { identity, tables, bundles });
    const settings = { TOKEN_URL: identity.tokenUrl, SHARE_BASE_URL: shareBaseUrl ?? api.baseUrl };
    const endpoints = new Endpoints(this, 'Endpoints', { table, api, authorizer, tables, settings, bundles });
    const { logAccess } = api;
    const channels = new StatusChannels(this, 'StatusChannels', { ...domains, logAccess, identity, tables, bundles });
    new Alarms(this, 'Alarms', { api, endpoints, tables, channels, topicArn: alarmTopicArn });

    // What onboarding a partner needs to know.
    const outputs = {
      BaseUrl: api.baseUrl,
      ResourceServer: identity.resourceServer,
      UserPoolId: identity.userPool.userPoolId,
      UsagePlanId: api.usagePlan.usagePlanId,
      PartnersTable: tables.partners.tableName,
      FleetTable: tables.fleet.tableName,
      WebSocketUrl: channels.sockets.url,
      MqttDomainConfiguration: channels.topics.domainConfiguration,
    };
    for (const [name, value] of Object.entries(outputs)) new CfnOutput(this, name, { value });
  }
}
