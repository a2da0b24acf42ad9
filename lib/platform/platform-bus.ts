import { Duration } from 'aws-cdk-lib/core';
import { type Archive, EventBus } from 'aws-cdk-lib/aws-events';
import { Construct } from 'constructs';
import type { ApiFunction } from '../functions/api-function';

/** The bus on which the drone platform and this service tell each other what has happened. */
export class PlatformBus extends Construct {
  readonly bus: EventBus;
  /** What was said within the last fortnight, to be said again. */
  readonly archive: Archive;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.bus = new EventBus(this, 'Bus', { description: 'Drone platform and integration API' });
    this.archive = this.bus.archive('Archive', {
      description: 'To say again what the platform missed',
      eventPattern: { source: [{ prefix: '' }] as unknown as string[] },
      retention: Duration.days(14),
    });
  }

  /** Lets a function tell the platform something, and tells it where. */
  grantPublish(teller: ApiFunction): void {
    teller.lambda.addEnvironment('PLATFORM_BUS', this.bus.eventBusName);
    teller.may(['events:PutEvents'], [this.bus.eventBusArn]);
  }
}
