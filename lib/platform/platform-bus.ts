import { Duration, Stack } from 'aws-cdk-lib/core';
import { type Archive, type CfnArchive, EventBus, Match } from 'aws-cdk-lib/aws-events';
import { Construct } from 'constructs';
import type { InboundEventType } from '../../domain/platform/inbound-events';
import type { ApiFunction } from '../functions/api-function';
import { publishOutputs } from '../foundation/publish-outputs';

const TELEMETRY: InboundEventType = 'device.telemetry.reported';

/** EventBridge bus for the events between the drone platform and this service. */
export class PlatformBus extends Construct {
  readonly bus: EventBus;
  /** Events of the last 14 days, but for telemetry, for replay. */
  readonly archive: Archive;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.bus = new EventBus(this, 'Bus', { description: 'Drone platform and integration API' });
    this.archive = this.bus.archive('Archive', {
      // CloudFormation does not document how it would name an archive, and the deployer policy is scoped to names.
      archiveName: `${Stack.of(this).stackName}-Archive`,
      description: 'Replay of events that were missed',
      // A sample that is replayed is late, so it has no effect, and samples are nearly all bytes of the bus.
      eventPattern: { detailType: Match.anythingBut(TELEMETRY) },
      retention: Duration.days(14),
    });
    // The CDK writes an empty one, which AWS refuses in some Regions (aws/aws-cdk, issue 37847).
    (this.archive.node.defaultChild as CfnArchive).addPropertyDeletionOverride('KmsKeyIdentifier');
    publishOutputs(this, { PlatformBusArn: this.bus.eventBusArn, PlatformArchiveArn: this.archive.archiveArn });
  }

  /** Lets a function publish events, and sets the bus in its environment. */
  grantPublish(publisher: ApiFunction): void {
    publisher.lambda.addEnvironment('PLATFORM_BUS', this.bus.eventBusName);
    publisher.allow(['events:PutEvents'], [this.bus.eventBusArn]);
  }
}
