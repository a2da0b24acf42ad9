import { Aws } from 'aws-cdk-lib/core';
import * as cloudfront from 'aws-cdk-lib/aws-cloudfront';
import { HttpOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnAuthorizer } from 'aws-cdk-lib/aws-iot';
import { Construct } from 'constructs';
import { BROADCAST_PATH } from '../../contract/shares/viewer-protocol';
import { ApiFunction } from '../functions/api-function';
import { countErrors } from '../functions/error-alarm';
import type { Tables } from '../foundation/tables';
import { ManagedMqttDomain } from './managed-mqtt-domain';

const iot = `arn:${Aws.PARTITION}:iot:${Aws.REGION}:${Aws.ACCOUNT_ID}`;

/** Lets a function publish to the topics of shares with many places. */
export function grantBroadcast(publisher: ApiFunction): void {
  publisher.allow(['iot:Publish'], [`${iot}:topic/broadcast/*`], 'Each share has its own topic.');
}

/** Lets a function close the connections of viewers. */
export function grantEndViewers(closer: ApiFunction): void {
  closer.allow(['iot:DeleteConnection'], [`${iot}:client/viewer-*`], 'Each viewer has its own client id.');
}

export interface BroadcastProps {
  readonly tables: Tables;
  /** Serves the share page. */
  readonly distribution: cloudfront.Distribution;
  /** The domain configuration of the channels. */
  readonly first: ManagedMqttDomain;
}

/**
 * MQTT over WebSockets for the viewers of shares with many places, on the host of the share page: an endpoint of AWS IoT whose
 * clients authenticate with the socket that they have open and the share code, and may read the topic of their share.
 */
export class ShareBroadcast extends Construct {
  constructor(scope: Construct, id: string, { tables, distribution, first }: BroadcastProps) {
    super(scope, id);
    const authorize = new ApiFunction(this, 'AuthorizeViewer', {
      entry: 'shares/authorize-viewer',
      description: 'Verify the share code of a viewer and return the policy of its MQTT connection',
      environment: { IOT_ARN: iot },
      // AWS IoT's limit for custom authorizers.
      timeoutSeconds: 5,
    }).uses(tables, { connections: ['get'], shares: ['get'] });
    const authorizer = new CfnAuthorizer(this, 'Authorizer', {
      authorizerFunctionArn: authorize.lambda.functionArn,
      // The password is the capability itself.
      signingDisabled: true,
      status: 'ACTIVE',
    });
    authorize.lambda.addPermission('Iot', {
      principal: new ServicePrincipal('iot.amazonaws.com'),
      sourceArn: authorizer.attrArn,
    });
    const settings = {
      authenticationType: 'CUSTOM_AUTH',
      applicationProtocol: 'MQTT_WSS',
      authorizerConfig: { defaultAuthorizerName: authorizer.ref, allowAuthorizerOverride: false },
      tlsConfig: { securityPolicy: 'IoTSecurityPolicy_TLS13_1_2_2022_10' },
    };
    const { domainName } = new ManagedMqttDomain(this, 'Managed', settings, 'viewers', first);
    distribution.addBehavior(
      BROADCAST_PATH,
      new HttpOrigin(domainName, { protocolPolicy: cloudfront.OriginProtocolPolicy.HTTPS_ONLY }),
      {
        allowedMethods: cloudfront.AllowedMethods.ALLOW_GET_HEAD,
        viewerProtocolPolicy: cloudfront.ViewerProtocolPolicy.HTTPS_ONLY,
        cachePolicy: cloudfront.CachePolicy.CACHING_DISABLED,
        originRequestPolicy: cloudfront.OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
      },
    );
    countErrors(authorize, 'mqtt');
  }
}
