import { Construct, type IDependable } from 'constructs';
import type { CustomDomain } from '../deployment-choices';
import type { Failures } from '../functions/dead-letter-queue';
import { FanOut } from './fan-out';
import { Greetings } from './greetings';
import { Heartbeat } from './heartbeat';
import type { Identity } from '../rest/identity';
import type { PlatformBus } from '../platform/platform-bus';
import { ShareExpiry } from '../shares/share-expiry';
import { Sockets } from './websocket-api';
import type { Tables } from '../tables';
import { Topics } from './mqtt';
import { ViewerCounts } from './viewer-counts';
import type { AlarmDefinition } from '../observability/alarm-definition';

export interface StatusChannelsProps {
  /** Where partners reach the channels over WSS, beside the address that CloudFront gives. */
  readonly webSocketDomain: CustomDomain | undefined;
  /** Where partners reach the channels over MQTTS, beside the address that AWS IoT gives. */
  readonly mqttDomain: CustomDomain | undefined;
  /** Web ACL in front of the WSS channels and the share page. */
  readonly cloudFrontWebAclArn: string | undefined;
  /** What lets API Gateway write logs. */
  readonly logAccess: IDependable;
  readonly identity: Identity;
  readonly tables: Tables;
  readonly platform: PlatformBus;
}

/** What partners follow in real time, over MQTTS and WSS (spec section 6). */
export class StatusChannels extends Construct {
  readonly sockets: Sockets;
  readonly topics: Topics;
  readonly greetings: Greetings;
  /** Where that ends up which could not be said or scheduled, with what partners suffer from it. */
  readonly failures: readonly Failures[];
  readonly watched: readonly AlarmDefinition[];

  constructor(scope: Construct, id: string, { webSocketDomain, mqttDomain, ...props }: StatusChannelsProps) {
    super(scope, id);
    const { tables, platform, cloudFrontWebAclArn: webAclArn } = props;
    const viewerCounts = new ViewerCounts(this, 'ViewerCounts', { tables });
    this.sockets = new Sockets(this, 'Sockets', { domain: webSocketDomain, webAclArn, viewerCounts, ...props });
    this.greetings = new Greetings(this, 'Greetings', { tables, sockets: this.sockets });
    this.topics = new Topics(this, 'Topics', { domain: mqttDomain, ...props });
    const fanOut = new FanOut(this, 'FanOut', { tables, sockets: this.sockets });
    const expiry = new ShareExpiry(this, 'ShareExpiry', { tables, platform });
    const heartbeat = new Heartbeat(this, 'Heartbeat', { tables, sockets: this.sockets });
    const parts = [viewerCounts, this.sockets, this.greetings, this.topics, fanOut, expiry, heartbeat];
    this.watched = parts.flatMap(({ watched }) => watched);
    this.failures = [
      {
        queue: fanOut.failures,
        impact: 'Partners missed a change of a job, a device group or a share that they follow',
      },
      {
        queue: expiry.failures,
        impact:
          'Partners hear hours late that a share has expired, its sockets stay open, or the drone platform misses a share',
      },
    ];
  }
}
