import { Duration, RemovalPolicy } from 'aws-cdk-lib/core';
import { AttributeType, BillingMode, Table, TableEncryption } from 'aws-cdk-lib/aws-dynamodb';
import { Rule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { Schedule, ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { LambdaInvoke } from 'aws-cdk-lib/aws-scheduler-targets';
import { Construct } from 'constructs';
import { SERVICE } from '../../contract/platform';
import { ApiFunction } from '../functions/api-function';
import { deadLetterQueue, type Failures } from '../functions/dead-letter-queue';
import { failing, type AlarmDefinition } from '../observability/alarm-definition';
import type { PlatformBus } from './platform-bus';
import { schedulerRole } from '../functions/scheduler-role';
import type { Tables } from '../tables';

export interface SimulatedFleetProps {
  readonly platform: PlatformBus;
  readonly tables: Tables;
  /** How much faster than real time it flies. */
  readonly speed: number;
  /** Every so many seconds devices at rest report. */
  readonly rest: number;
}

/** Plays the drone platform over the bus, with every device that is registered: for a sandbox, never beside a real one. */
export class SimulatedFleet extends Construct {
  /** Files below `simulator/`. */
  readonly failures: Failures;
  readonly watched: readonly AlarmDefinition[];

  constructor(scope: Construct, id: string, { platform, tables, speed, rest }: SimulatedFleetProps) {
    super(scope, id);
    const failures = deadLetterQueue(this, 'Failures');
    this.failures = { queue: failures, impact: 'Jobs of partners in the sandbox are not flown' };
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

    const consume = new ApiFunction(this, 'ConsumeJobEvents', {
      entry: 'simulator/consume-job-events',
      description: 'Note jobs for the simulated fleet',
      environment,
    }).may(['dynamodb:PutItem', 'dynamodb:UpdateItem'], [missions.tableArn]);
    platform.grantPublish(consume);
    new Rule(this, 'FromService', {
      description: 'Jobs and commands for the simulated fleet',
      eventBus: platform.bus,
      eventPattern: {
        source: [SERVICE],
        detailType: ['job.created', 'job.updated', 'job.cancelled', 'job.deleted', 'control.requested'],
      },
      targets: [new LambdaFunction(consume.lambda, { deadLetterQueue: failures })],
    });

    const fly = new ApiFunction(this, 'Fly', {
      entry: 'simulator/fly',
      description: 'Fly the simulated fleet for a minute',
      timeoutSeconds: 90,
      environment: { ...environment, SEED: 'sandbox', SPEED: String(speed), REST: String(rest) },
    })
      .uses(tables, { fleet: ['scan'] })
      .may(['dynamodb:Scan', 'dynamodb:UpdateItem'], [missions.tableArn]);
    const impact = 'Jobs of partners in the sandbox are not flown';
    this.watched = [failing(consume, impact), failing(fly, impact)];
    platform.grantPublish(fly);
    const role = schedulerRole(this, fly, 'default').withoutPolicyUpdates();
    new Schedule(this, 'Schedule', {
      description: 'Minute after minute of the simulated fleet',
      schedule: ScheduleExpression.rate(Duration.minutes(1)),
      target: new LambdaInvoke(fly.lambda, { role, retryAttempts: 0 }),
    });
  }
}
