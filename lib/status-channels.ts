import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { FanOut } from './fan-out';
import { Heartbeat } from './heartbeat';
import type { Identity } from './identity';
import { ShareExpiry } from './share-expiry';
import { Sockets } from './sockets';
import type { Tables } from './tables';
import { Topics } from './topics';

export interface StatusChannelsProps {
  readonly identity: Identity;
  readonly tables: Tables;
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
  ];

  readonly sockets: Sockets;
  readonly topics: Topics;
  /** Where that ends up which could not be said or scheduled, with what partners suffer from it. */
  readonly failures: readonly { readonly queue: Queue; readonly suffering: string }[];

  constructor(scope: Construct, id: string, { identity, tables, bundles }: StatusChannelsProps) {
    super(scope, id);
    this.sockets = new Sockets(this, 'Sockets', { identity, tables, bundles });
    this.topics = new Topics(this, 'Topics', { identity, tables, bundles });
    const fanOut = new FanOut(this, 'FanOut', { tables, sockets: this.sockets, bundles });
    const expiry = new ShareExpiry(this, 'ShareExpiry', { tables, bundles });
    new Heartbeat(this, 'Heartbeat', { tables, sockets: this.sockets, bundles });
    this.failures = [
      { queue: fanOut.failures, suffering: 'Followers of a job, a device group or a share missed a change' },
      { queue: expiry.failures, suffering: 'A share ends hours late, when its table forgets it' },
    ];
  }
}
