import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { join } from 'node:path';
import { Alarms } from './observability/alarms';
import { Authorizer } from './rest/authorizer';
import { bundle } from './functions/bundle';
import { bundlesFolder, entryPoints } from './functions/entry-points';
import { Dashboard } from './observability/dashboard';
import { deploymentChoices } from './deployment-choices';
import type { EndpointTable } from './rest/endpoint-table';
import { Endpoints } from './rest/endpoints';
import { Identity } from './rest/identity';
import { PlatformBus } from './platform/platform-bus';
import { PlatformIntegration } from './platform/platform-integration';
import { Reconcile } from './realtime/reconcile';
import { RestApi } from './rest/rest-api';
import { ShareGuesses } from './shares/share-guesses';
import { SharePage } from './shares/share-page';
import { SimulatedFleet } from './platform/simulated-fleet';
import { StatusChannels } from './realtime/status-channels';
import { Tables } from './tables';
import { Telemetry } from './realtime/telemetry';
import { mark } from './mark';
import { serviceAlarms } from './observability/service-alarms';

/** Name of the stack of a stage: two stages may share an account and region. */
export const stackName = (stage: string | undefined): string =>
  stage === undefined ? 'DroneMissionApi' : `DroneMissionApi-${stage}`;

export interface DroneMissionApiStackProps extends StackProps {
  readonly endpoints: EndpointTable;
}

/** The whole service: what partners call, who they are, what serves them, and where it is kept. */
export class DroneMissionApiStack extends Stack {
  constructor(scope: Construct, id: string, { endpoints: table, ...props }: DroneMissionApiStackProps) {
    super(scope, id, { description: 'Drone mission integration API', ...props });
    const choices = deploymentChoices(this.node);
    const { stage, removeData, domain, shareBaseUrl, alarmTopicArn: topicArn, simulatedFleet } = choices;
    const { webSocketDomain, mqttDomain, cloudFrontWebAclArn } = choices;
    bundle(entryPoints(), bundlesFolder(this));

    const tables = new Tables(this, 'Tables', { removeData });
    const api = new RestApi(this, 'RestApi', { table, domain, rateLimit: choices.webRateLimit });
    const identity = new Identity(this, 'Identity', { apiUrl: api.apiUrl, baseUrl: api.baseUrl, stage, removeData });
    const authorizer = new Authorizer(this, 'Authorizer', { identity, tables });
    const { logAccess } = api;
    const platform = new PlatformBus(this, 'Platform');
    const channels = new StatusChannels(this, 'StatusChannels', {
      ...{ webSocketDomain, mqttDomain, cloudFrontWebAclArn },
      ...{ logAccess, identity, tables, platform },
    });
    const { sockets, topics, greetings } = channels;
    const telemetry = new Telemetry(this, 'Telemetry', { tables, sockets, greetings, platform });
    const talk = new PlatformIntegration(this, 'PlatformIntegration', { platform, tables, telemetry });
    const reconcile = new Reconcile(this, 'Reconcile', { tables });
    const failures = [...channels.failures, ...telemetry.failures, ...talk.failures];
    const watched = [
      ...authorizer.watched,
      ...channels.watched,
      ...telemetry.watched,
      ...talk.watched,
      ...reconcile.watched,
    ];
    if (simulatedFleet) {
      bundle(['consume-job-events', 'fly'], join(bundlesFolder(this), 'simulator'), 'simulator');
      const fleet = new SimulatedFleet(this, 'SimulatedFleet', { platform, tables, ...simulatedFleet });
      failures.push(fleet.failures);
      watched.push(...fleet.watched);
    }
    new SharePage(this, 'SharePage', { removeData }).addTo(sockets.address.distribution);
    const urls = {
      share: shareBaseUrl ?? `https://${sockets.address.name}`,
      webSocket: `wss://${sockets.address.name}`,
    };
    const settings = { TOKEN_URL: identity.tokenUrl, SHARE_BASE_URL: urls.share };
    const endpoints = new Endpoints(this, 'Endpoints', { table, api, authorizer, tables, sockets, settings });
    const guesses = new ShareGuesses(this, 'ShareGuesses', {
      functions: [sockets.connect, ...endpoints.takingShareCodes],
    });
    watched.push(guesses.watched);
    const all = serviceAlarms({ api, endpoints, tables, failures, watched });
    const alarms = new Alarms(this, 'Alarms', { watched: all, topicArn });
    new Dashboard(this, 'Dashboard', { alarms, watched: all, api, endpoints, sockets });

    // What onboarding a partner needs to know and hands over, and whoever is or replays the platform.
    const outputs = {
      BaseUrl: api.baseUrl,
      ResourceServer: identity.resourceServer,
      UserPoolId: identity.userPool.userPoolId,
      UsagePlanId: api.usagePlan.usagePlanId,
      PartnersTable: tables.partners.tableName,
      FleetTable: tables.fleet.tableName,
      SharesTable: tables.shares.tableName,
      WebSocketUrl: urls.webSocket,
      ShareBaseUrl: urls.share,
      MqttUrl: topics.url,
      PlatformBusArn: platform.bus.eventBusArn,
      PlatformArchiveArn: platform.archive.archiveArn,
    };
    for (const [name, value] of Object.entries(outputs)) new CfnOutput(this, name, { value });
    mark(this, choices);
  }
}
