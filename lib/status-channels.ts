import { Construct, type IDependable } from 'constructs';
import type { CustomDomain } from './deployment-choices';
import type { Failures } from './failure-queue';
import { FanOut } from './fan-out';
import { Greetings } from './greetings';
import { Heartbeat } from './heartbeat';
import type { Identity } from './identity';
import type { PlatformBus } from './platform-bus';
import { ShareExpiry } from './share-expiry';
import { Sockets } from './sockets';
import type { Tables } from './tables';
import { Topics } from './topics';
import { ViewerCounts } from './viewer-counts';
import type { Watched } from './watched';

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
  /** Folder that the bundles of all functions are in. */
  readonly bundles: string;
}

/** What partners follow in real time, over MQTTS and WSS (spec section 6). */
export class StatusChannels extends Construct {
  /** Entry files of its functions, below `lambdas/`. */
  static readonly entries = [
    ...Sockets.entries,
    ...Topics.entries,
    ...FanOut.entries,
    ...ShareExpiry.entries,
    Heartbeat.entry,
    Greetings.entry,
    ViewerCounts.entry,
  ];

  readonly sockets: Sockets;
  readonly topics: Topics;
  readonly greetings: Greetings;
  /** Where that ends up which could not be said or scheduled, with what partners suffer from it. */
  readonly failures: readonly Failures[];
  readonly watched: readonly Watched[];

  constructor(scope: Construct, id: string, { webSocketDomain, mqttDomain, ...props }: StatusChannelsProps) {
    super(scope, id);
    const { tables, platform, bundles, cloudFrontWebAclArn: webAclArn } = props;
    const viewerCounts = new ViewerCounts(this, 'ViewerCounts', { tables, bundles });
    this.sockets = new Sockets(this, 'Sockets', { domain: webSocketDomain, webAclArn, viewerCounts, ...props });
    this.greetings = new Greetings(this, 'Greetings', { tables, sockets: this.sockets, bundles });
    this.topics = new Topics(this, 'Topics', { domain: mqttDomain, ...props });
    const fanOut = new FanOut(this, 'FanOut', { tables, sockets: this.sockets, bundles });
    const expiry = new ShareExpiry(this, 'ShareExpiry', { tables, platform, bundles });
    const heartbeat = new Heartbeat(this, 'Heartbeat', { tables, sockets: this.sockets, bundles });
    const parts = [viewerCounts, this.sockets, this.greetings, this.topics, fanOut, expiry, heartbeat];
    this.watched = parts.flatMap(({ watched }) => watched);
    this.failures = [
      {
        queue: fanOut.failures,
        suffering: 'Partners missed a change of a job, a device group or a share that they follow',
      },
      {
        queue: expiry.failures,
        suffering:
          'Partners hear hours late that a share has expired, its sockets stay open, or the drone platform misses a share',
      },
    ];
  }
}
