import { Aws } from 'aws-cdk-lib/core';
import { FilterRule } from 'aws-cdk-lib/aws-lambda';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { channels } from '../contract/channels';
import { ApiFunction } from './api-function';
import { addChangeStream } from './change-stream';
import { failureQueue } from './failure-queue';
import type { Sockets } from './sockets';
import type { Tables } from './tables';
import { grantVideo } from './video';
import { late, type Watched } from './watched';

export interface FanOutProps {
  readonly tables: Tables;
  readonly sockets: Sockets;
  /** Folder that the bundles of all functions are in. */
  readonly bundles: string;
}

/** What changes in the tables is said on the channels; who connects is told the state. */
export class FanOut extends Construct {
  static readonly entries = ['stream/status-fan-out', 'stream/greet-connection'];

  /** Changes that no follower heard of. */
  readonly failures: Queue;
  readonly watched: readonly Watched[];

  constructor(scope: Construct, id: string, { tables, sockets, bundles }: FanOutProps) {
    super(scope, id);
    this.failures = failureQueue(this, 'Failures');
    const fanOut = new ApiFunction(this, 'StatusFanOut', {
      entry: 'stream/status-fan-out',
      bundles,
      description: 'Say on the channels what has changed',
      timeoutSeconds: 60,
    }).uses(tables, { jobs: ['get'], connections: ['query', 'delete', 'update'], shares: ['update'] });
    sockets.grantManage(fanOut);
    const topics = Object.entries(channels).map(
      ([kind, { topicSuffix }]) =>
        `arn:${Aws.PARTITION}:iot:${Aws.REGION}:${Aws.ACCOUNT_ID}:topic/${kind}-*/${topicSuffix}`,
    );
    fanOut.may(
      ['iot:Publish', 'iot:RetainPublish'],
      topics,
      'Each job, device group and share has a topic of its own.',
    );
    const { jobs, shares, fleet, connections } = tables;
    addChangeStream({ from: jobs, to: fanOut, failures: this.failures });
    addChangeStream({ from: shares, to: fanOut, failures: this.failures });
    addChangeStream({
      from: fleet,
      to: fanOut,
      failures: this.failures,
      only: { dynamodb: { Keys: { id: { S: FilterRule.beginsWith('device-') } } } },
    });

    const greet = new ApiFunction(this, 'GreetConnection', {
      entry: 'stream/greet-connection',
      bundles,
      description: 'Tell a new connection the state',
      timeoutSeconds: 60,
    }).uses(tables, {
      jobs: ['get'],
      shares: ['get', 'update'],
      fleet: ['query', 'get'],
      connections: ['get', 'query', 'delete', 'update'],
    });
    sockets.grantManage(greet);
    // A viewer of a STREAM share is told where the video is.
    grantVideo(greet);
    addChangeStream({
      from: connections,
      to: greet,
      failures: this.failures,
      only: {
        eventName: FilterRule.or('INSERT'),
        dynamodb: { NewImage: { expiresAt: { N: FilterRule.exists() } } },
      },
    });
    this.watched = [
      late(fanOut, 'Partners hear of changes more than a minute late'),
      late(greet, 'Partners and viewers who connect wait more than a minute for the state'),
    ];
  }
}
