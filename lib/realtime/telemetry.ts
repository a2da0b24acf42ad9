import { Duration } from 'aws-cdk-lib/core';
import { EventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { ApiFunction } from '../functions/api-function';
import { deadLetterQueue, type Failures } from '../functions/dead-letter-queue';
import type { Greetings } from './greetings';
import type { PlatformBus } from '../platform/platform-bus';
import type { Sockets } from './websocket-api';
import type { Tables } from '../tables';
import { grantVideo } from '../shares/video';
import { failing, type AlarmDefinition } from '../observability/alarm-definition';

export interface TelemetryProps {
  readonly tables: Tables;
  readonly sockets: Sockets;
  readonly greetings: Greetings;
  readonly platform: PlatformBus;
}

/** Live telemetry: what partners publish and follow, and what viewers see and send, over the WebSocket API. */
export class Telemetry extends Construct {
  readonly failures: readonly Failures[];
  readonly watched: readonly AlarmDefinition[];
  private readonly silence: Queue;

  constructor(
    scope: Construct,
    id: string,
    private readonly props: TelemetryProps,
  ) {
    super(scope, id);
    const { tables, sockets, platform, greetings } = props;
    const subscribe = this.action('subscribe', 'Let a partner follow a device or a group').uses(tables, {
      connections: ['get', 'put', 'delete'],
      fleet: ['get', 'batchGet'],
    });
    greetings.grantAsk(subscribe);
    sockets.addAction('subscribe', subscribe);

    const unsubscribe = this.action('unsubscribe', 'End that').uses(tables, { connections: ['get', 'delete'] });
    sockets.addAction('unsubscribe', unsubscribe);

    const publish = this.action('publish', 'Take telemetry and pass it on').uses(tables, {
      connections: ['get', 'query', 'delete', 'update'],
      fleet: ['batchGet', 'update'],
    });
    sockets.grantManage(publish);
    sockets.addAction('publish', publish);

    const control = this.action('control', 'Pass on what a viewer wants of a drone').uses(tables, {
      connections: ['get'],
      shares: ['get'],
      partners: ['get'],
      requests: ['update', 'put'],
    });
    platform.grantPublish(control);
    sockets.addAction('control', control);

    const playback = this.action('playback', 'Tell a viewer where the video is').uses(tables, {
      connections: ['get'],
      shares: ['get'],
      partners: ['get'],
      fleet: ['query'],
    });
    grantVideo(playback);
    sockets.addAction('playback', playback);

    const unwatched = deadLetterQueue(this, 'Failures');
    this.failures = [
      {
        queue: unwatched,
        impact: 'A device that has fallen silent still counts as online, or its last sample is not kept',
      },
    ];
    const { watch, queue } = this.watchSilence(publish, unwatched);
    this.silence = queue;
    this.watched = [
      // One that fails comes again, five times; those before the queue for failures gets any.
      failing(watch, 'A device that has fallen silent still counts as online, or its last sample is not kept', 3),
      failing(subscribe, 'Partners can not follow telemetry'),
      failing(unsubscribe, 'Partners can not stop following telemetry'),
      failing(publish, 'Telemetry that partners publish is not taken, or not passed on'),
      failing(control, 'Viewers of what partners share can not steer'),
      failing(playback, 'Viewers of what partners share see no video'),
    ];
  }

  /** Binds a function to all that taking telemetry needs: the fleet, its followers, and the watch over silence. */
  grantTake(taker: ApiFunction): void {
    const { tables, sockets } = this.props;
    taker.uses(tables, {
      connections: ['query', 'delete', 'update'],
      fleet: ['batchGet', 'update'],
    });
    sockets.grantManage(taker);
    grantWatch(taker, this.silence);
  }

  /**
   * A device that is online has one message under way, which the queue holds back until it may be silent; samples that come
   * too early to be kept are held back there too, for a second.
   */
  private watchSilence(publish: ApiFunction, unwatched: Queue): { watch: ApiFunction; queue: Queue } {
    const queue = new Queue(this, 'Silence', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      // Six times what the function may take, and what messages are gathered for (Lambda developer guide, "SQS").
      visibilityTimeout: Duration.seconds(61),
      // A device that was not looked at for so long has long been silent, or is watched by a later message.
      retentionPeriod: Duration.days(1),
      deadLetterQueue: { queue: unwatched, maxReceiveCount: 5 },
    });
    const watch = new ApiFunction(this, 'WatchSilence', {
      entry: 'queue/watch-silence',
      description: 'Make a device offline that has been silent for 30 seconds, and keep the last of its samples',
      recursive: true,
    }).uses(this.props.tables, { fleet: ['get', 'batchGet', 'update'] });
    for (const sender of [publish, watch]) grantWatch(sender, queue);
    queue.grantConsumeMessages(watch.lambda);
    new EventSourceMapping(this, 'FromSilence', {
      target: watch.lambda,
      eventSourceArn: queue.queueArn,
      // Samples that wait are many, and most of them are not needed any more: together they cost one read.
      batchSize: 200,
      maxBatchingWindow: Duration.seconds(1),
      reportBatchItemFailures: true,
    });
    return { watch, queue };
  }

  private action(name: string, description: string): ApiFunction {
    return new ApiFunction(this, name, { entry: `socket/${name}`, description });
  }
}

function grantWatch(sender: ApiFunction, queue: Queue): void {
  sender.lambda.addEnvironment('SILENCE_QUEUE_URL', queue.queueUrl);
  sender.may(['sqs:SendMessage'], [queue.queueArn]);
}
