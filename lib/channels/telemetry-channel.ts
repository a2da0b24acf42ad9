import { Duration } from 'aws-cdk-lib/core';
import { EventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { ApiFunction } from '../functions/api-function';
import { deadLetterQueue } from '../functions/dead-letter-queue';
import type { Tables } from '../foundation/tables';
import { grantBroadcast } from './share-broadcast';
import type { WebSocketChannels } from './websocket-api';

export interface TelemetryProps {
  readonly tables: Tables;
  readonly sockets: WebSocketChannels;
  /** How long the record of a job's flight keeps its positions. */
  readonly flightRetentionDays: number;
}

/** It can wait: a device that reports corrects itself. */
const suffering = {
  urgency: 'ticket',
  impact: 'Partners see a silent device online, or not its last sample',
} as const;

/**
 * Grants for accepting telemetry, and the queue of device checks. Each online device has one message in it, delayed until the
 * device counts as silent. Samples that arrive too early for a write also wait in it, for a second.
 */
export class TelemetryChannel extends Construct {
  private readonly checks: Queue;

  constructor(
    scope: Construct,
    id: string,
    private readonly props: TelemetryProps,
  ) {
    super(scope, id);
    this.checks = new Queue(this, 'DeviceChecks', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      // Six times the function's timeout, plus the batching window (Lambda developer guide, "SQS").
      visibilityTimeout: Duration.seconds(61),
      // By then the device is offline, or a later message checks it.
      retentionPeriod: Duration.days(1),
      deadLetterQueue: { queue: deadLetterQueue(this, 'Failures', suffering), maxReceiveCount: 5 },
    });
    const check = new ApiFunction(this, 'CheckDevices', {
      entry: 'fleet/check-devices',
      description: 'Set devices offline after 30 seconds of silence, and store their last samples',
      recursive: true,
    }).uses(props.tables, { fleet: ['get', 'batchGet', 'update'], jobs: ['batchGet'] });
    this.grantSchedule(check);
    this.checks.grantConsumeMessages(check.lambda);
    new EventSourceMapping(this, 'FromDeviceChecks', {
      target: check.lambda,
      eventSourceArn: this.checks.queueArn,
      // Most samples in it are outdated by then: one read serves all of them.
      batchSize: 200,
      maxBatchingWindow: Duration.seconds(1),
      reportBatchItemFailures: true,
    });
  }

  /** Lets a function accept telemetry: update the fleet, send to followers, record flights, and schedule device checks. */
  grantAccept(acceptor: ApiFunction): void {
    const { tables, sockets, flightRetentionDays } = this.props;
    acceptor.uses(tables, {
      connections: ['get', 'query', 'delete', 'update'],
      fleet: ['get', 'batchGet', 'update'],
      jobs: ['batchGet'],
      flights: ['put'],
    });
    acceptor.lambda.addEnvironment('FLIGHT_RETENTION_DAYS', String(flightRetentionDays));
    // Whether the share of a topic still stands, and its organisation is active.
    acceptor.uses(tables, { shares: ['get'], partners: ['get'] });
    grantBroadcast(acceptor);
    sockets.grantManage(acceptor);
    this.grantSchedule(acceptor);
  }

  private grantSchedule(sender: ApiFunction): void {
    sender.lambda.addEnvironment('DEVICE_CHECK_QUEUE_URL', this.checks.queueUrl);
    sender.allow(['sqs:SendMessage'], [this.checks.queueArn]);
  }
}
