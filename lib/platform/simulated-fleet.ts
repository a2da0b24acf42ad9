import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib/core';
import { AttributeType, BillingMode, Table, TableEncryption } from 'aws-cdk-lib/aws-dynamodb';
import { Rule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { Construct } from 'constructs';
import { SERVICE } from '../../domain/values/service';
import type { OutboundEventType } from '../../domain/platform/outbound-events';
import { ApiFunction } from '../functions/api-function';
import { bundle, simulatorEntryPoints } from '../functions/bundle';
import { everyMinute } from '../functions/schedule';
import { bundlesFolder } from '../functions/function-code';
import type { PlatformBus } from './platform-bus';
import type { Tables } from '../foundation/tables';

/** Events that the simulated platform consumes: `packages/simulator/consume-job-events.ts`. */
const consumed: OutboundEventType[] = [
  ...(['job.created', 'job.updated', 'job.cancelled', 'job.deleted'] as const),
  'control.requested',
  'share.ended',
  'mission.check.requested',
];

export interface SimulatedFleetProps {
  readonly platform: PlatformBus;
  readonly tables: Tables;
  /** Factor over real time. */
  readonly speed: number;
  /** Interval in seconds at which devices at rest report. */
  readonly rest: number;
}

/** Simulates the drone platform and every registered device over the bus, for a sandbox; never use it with a real platform. */
export class SimulatedFleet extends Construct {
  constructor(scope: Construct, id: string, { platform, tables, speed, rest }: SimulatedFleetProps) {
    super(scope, id);
    if (Stack.of(this).bundlingRequired) bundle(simulatorEntryPoints, bundlesFolder(this), 'packages');
    const missions = new Table(this, 'Missions', {
      partitionKey: { name: 'jobId', type: AttributeType.STRING },
      billingMode: BillingMode.PAY_PER_REQUEST,
      encryption: TableEncryption.AWS_MANAGED,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      timeToLiveAttribute: 'ttl',
      // Simulated flights need not be retained.
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const environment = { MISSIONS_TABLE: missions.tableName, SEED: 'sandbox' };

    const consume = new ApiFunction(this, 'ConsumeJobEvents', {
      entry: 'simulator/consume-job-events',
      description: 'Store jobs for the simulated fleet',
      environment,
    })
      .uses(tables, { fleet: ['scan'] })
      .allow(['dynamodb:PutItem', 'dynamodb:UpdateItem'], [missions.tableArn]);
    platform.grantPublish(consume);
    // A job that is stored an hour late would surprise whoever tries the sandbox.
    consume.lambda.configureAsyncInvoke({ maxEventAge: Duration.hours(1), retryAttempts: 2 });
    new Rule(this, 'FromService', {
      description: 'Jobs and commands for the simulated fleet',
      eventBus: platform.bus,
      eventPattern: {
        source: [SERVICE],
        detailType: consumed,
      },
      targets: [new LambdaFunction(consume.lambda)],
    });

    const fly = new ApiFunction(this, 'Fly', {
      entry: 'simulator/fly',
      description: 'Fly the simulated fleet for a minute',
      timeoutSeconds: 90,
      environment: { ...environment, SPEED: String(speed), REST: String(rest) },
    })
      .uses(tables, { fleet: ['scan'] })
      .allow(['dynamodb:Scan', 'dynamodb:UpdateItem'], [missions.tableArn]);
    platform.grantPublish(fly);
    everyMinute(this, fly, 'Simulated fleet, every minute');
  }
}
