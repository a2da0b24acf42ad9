import { Duration, RemovalPolicy } from 'aws-cdk-lib/core';
import { AttributeType, BillingMode, Table, TableEncryption } from 'aws-cdk-lib/aws-dynamodb';
import { Rule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { Schedule, ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { LambdaInvoke } from 'aws-cdk-lib/aws-scheduler-targets';
import { Construct } from 'constructs';
import { SERVICE } from '../contract/platform';
import { ApiFunction } from './api-function';
import { failureQueue, type Failures } from './failure-queue';
import { failing, type Watched } from './watched';
import type { PlatformBus } from './platform-bus';
import { schedulerRole } from './scheduler-role';
import type { Tables } from './tables';

export interface SimulatedFleetProps {
  readonly platform: PlatformBus;
  readonly tables: Tables;
  /** How much faster than real time it flies. */
  readonly speed: number;
  /** Every so many seconds devices at rest report. */
  readonly rest: number;
  /** Folder that the bundles of all functions are in. */
  readonly bundles: string;
}

/** Plays the drone platform over the bus, with every device that is registered: for a sandbox, never beside a real one. */
export class SimulatedFleet extends Construct {
  /** Files below `simulator/`. */
  static readonly entries = ['hear-jobs', 'fly'];

  readonly failures: Failures;
  readonly watched: readonly Watched[];

  constructor(scope: Construct, id: string, { platform, tables, speed, rest, bundles }: SimulatedFleetProps) {
    super(scope, id);
    const failures = failureQueue(this, 'Failures');
    this.failures = { queue: failures, suffering: 'Jobs of partners in the sandbox are not flown' };
    const missions = new Table(this, 'Missions', {
      partitionKey: { name: 'jobId', type: AttributeType.STRING },
      billingMode: BillingMode.PAY_PER_REQUEST,
      encryption: TableEncryption.AWS_MANAGED,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      timeToLiveAttribute: 'ttl',
      // Simulated flights are no loss.
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const environment = { MISSIONS_TABLE: missions.tableName };

    const hear = new ApiFunction(this, 'HearJobs', {
      entry: 'simulator/hear-jobs',
      bundles,
      description: 'Note jobs for the simulated fleet',
      environment,
    }).may(['dynamodb:PutItem', 'dynamodb:UpdateItem'], [missions.tableArn]);
    platform.grantTell(hear);
    new Rule(this, 'FromService', {
      description: 'Jobs and commands for the simulated fleet',
      eventBus: platform.bus,
      eventPattern: {
        source: [SERVICE],
        detailType: ['job.created', 'job.updated', 'job.cancelled', 'job.deleted', 'control.requested'],
      },
      targets: [new LambdaFunction(hear.lambda, { deadLetterQueue: failures })],
    });

    const fly = new ApiFunction(this, 'Fly', {
      entry: 'simulator/fly',
      bundles,
      description: 'Fly the simulated fleet for a minute',
      timeoutSeconds: 90,
      environment: { ...environment, SEED: 'sandbox', SPEED: String(speed), REST: String(rest) },
    })
      .uses(tables, { fleet: ['scan'] })
      .may(['dynamodb:Scan', 'dynamodb:UpdateItem'], [missions.tableArn]);
    const suffering = 'Jobs of partners in the sandbox are not flown';
    this.watched = [failing(hear, suffering), failing(fly, suffering)];
    platform.grantTell(fly);
    const role = schedulerRole(this, fly, 'default').withoutPolicyUpdates();
    new Schedule(this, 'Schedule', {
      description: 'Minute after minute of the simulated fleet',
      schedule: ScheduleExpression.rate(Duration.minutes(1)),
      target: new LambdaInvoke(fly.lambda, { role, retryAttempts: 0 }),
    });
  }
}
