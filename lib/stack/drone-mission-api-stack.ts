import { Stack, type StackProps, Tags } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import type { Contract } from '../../contract/contract';
import { deploymentOptions } from '../foundation/deployment-options';
import { DocsSite } from '../docs/docs-site';
import { bundle, entryPoints } from '../functions/bundle';
import { bundlesFolder } from '../functions/function-code';
import { MissionFiles } from '../missions/mission-bucket';
import { Observability } from './observability';
import { PlatformAccess } from '../platform/platform-access';
import { PlatformBus } from '../platform/platform-bus';
import { PlatformForwarding } from '../platform/platform-forwarding';
import { PlatformIntegration } from '../platform/platform-integration';
import { SimulatedFleet } from '../platform/simulated-fleet';
import { Realtime } from './realtime';
import { Authorizer } from '../access/authorizer';
import { Endpoints } from './endpoint-functions';
import { UserPoolWithKeys } from '../access/user-pool';
import { RestApi } from '../rest/rest-api';
import { ShareExpiry } from '../shares/share-expiry';
import { SharePage } from '../shares/share-page';
import { Tables } from '../foundation/tables';
import { ManagedPolicy, PermissionsBoundary } from 'aws-cdk-lib/aws-iam';
import { SERVICE } from '../../domain/values/service';

/** Includes the stage, so that two stages can share an account and region. */
export const stackName = (stage: string | undefined): string =>
  stage === undefined ? 'DroneMissionApi' : `DroneMissionApi-${stage}`;

export interface DroneMissionApiStackProps extends StackProps {
  readonly contract: Contract;
}

/** The whole service, in the order of the picture in README. */
export class DroneMissionApiStack extends Stack {
  constructor(scope: Construct, id: string, { contract, ...props }: DroneMissionApiStackProps) {
    super(scope, id, { description: 'Drone mission integration API', ...props });
    const options = deploymentOptions(this.node);
    const {
      stage,
      removeData,
      domain,
      webRateLimit: rateLimit,
      pageTopicArn,
      ticketTopicArn,
      simulatedFleet,
    } = options;
    const { tracing: traced, platformPrincipalArn, platformTargetArn: targetArn } = options;
    if (this.bundlingRequired) bundle(entryPoints(), bundlesFolder(this));

    const tables = new Tables(this, 'Tables', { removeData });
    const api = new RestApi(this, 'RestApi', { table: contract.endpoints, stage, domain, rateLimit });
    const { apiUrl, baseUrl, logAccess } = api;
    const identity = new UserPoolWithKeys(this, 'Identity', { apiUrl, baseUrl, stage, removeData });
    new Authorizer(this, 'Authorizer', { api, identity, tables, traced });
    const platform = new PlatformBus(this, 'Platform');
    const realtime = new Realtime(this, 'Realtime', { ...options, contract, logAccess, identity, tables });
    const { sockets, telemetry } = realtime;
    new ShareExpiry(this, 'ShareExpiry', { tables, platform });
    const missionFiles = new MissionFiles(this, 'MissionFiles', { removeData });
    const integration = new PlatformIntegration(this, 'PlatformIntegration', { platform, tables, telemetry });
    new PlatformAccess(this, 'PlatformAccess', { platform, platformPrincipalArn });
    if (targetArn !== undefined) new PlatformForwarding(this, 'Forwarding', { platform, targetArn });
    if (simulatedFleet) new SimulatedFleet(this, 'SimulatedFleet', { platform, tables, ...simulatedFleet });
    const { distribution, name: hostName } = sockets.address;
    const sharePage = new SharePage(this, 'SharePage', { removeData });
    const shareBaseUrl = options.shareBaseUrl ?? `https://${hostName}`;
    sharePage.addTo(distribution, shareBaseUrl);
    const settings = {
      TOKEN_URL: identity.tokenUrl,
      SHARE_BASE_URL: shareBaseUrl,
      MAX_WAITING_CALLS: String(options.maxWaitingCalls),
      MAX_FILES_AT_ONCE: String(options.maxFilesAtOnce),
    };
    const endpoints = new Endpoints(this, 'Endpoints', {
      table: contract.endpoints,
      api,
      tables,
      sockets,
      platform: integration,
      missionFiles,
      settings,
      traced,
    });
    new DocsSite(this, 'DocsSite', { sharePage, distribution, hostName, mqttHost: realtime.mqtt.host, api });
    new Observability(this, 'Observability', {
      table: contract.endpoints,
      api,
      endpoints,
      tables,
      sockets,
      topics: { page: pageTopicArn, ticket: ticketTopicArn },
    });
    applyTagsAndBoundary(this, options);
  }
}

type Options = Pick<ReturnType<typeof deploymentOptions>, 'stage' | 'tags' | 'permissionsBoundaryArn'>;

/** Tags for cost allocation and policies. */
const tagsOf = ({ stage = 'default', tags }: Options) => ({ service: SERVICE, stage, ...tags });

/**
 * Tags a stack and all its resources, and sets the permissions boundary of every role, including those of the CDK's own
 * functions.
 */
export function applyTagsAndBoundary(stack: Stack, options: Options): void {
  for (const [key, value] of Object.entries(tagsOf(options))) {
    Tags.of(stack).add(key, value);
    stack.addStackTag(key, value);
  }
  const { permissionsBoundaryArn: arn } = options;
  if (arn === undefined) return;
  PermissionsBoundary.of(stack).apply(ManagedPolicy.fromManagedPolicyArn(stack, 'PermissionsBoundary', arn));
}
