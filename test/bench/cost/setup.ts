import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import type { AwsAccess } from 'cloud-assembly-runner';
import { PLATFORM } from '../../../domain/values/service';
import { type InboundEvent } from '../../../domain/platform/inbound-events';
import { findBus } from '../support/bus';
import type { LocalStack } from '../support/local-stack';
import type { ChannelClient } from '../support/many-clients';
import type { Used } from './usage';

/** A running stack with an organisation whose devices this bench reports, in place of the platform. */
export interface Setup {
  readonly stack: LocalStack;
  readonly client: ChannelClient;
  /** Publishes a report of the platform. */
  readonly platform: (report: InboundEvent) => Promise<void>;
  /** What the stack uses while nobody does anything. */
  readonly idle: Used;
}

/** Publishes to the bus of a running stack. */
export async function platformOf(access: AwsAccess) {
  const { bus: EventBusName, options } = await findBus(access);
  const bus = new EventBridgeClient(options);
  return async ({ type, detail }: InboundEvent): Promise<void> => {
    const entry = { EventBusName, Source: PLATFORM, DetailType: type, Detail: JSON.stringify(detail) };
    await bus.send(new PutEventsCommand({ Entries: [entry] }));
  };
}
