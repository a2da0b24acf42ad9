import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import type { AwsAccess } from 'cloud-assembly-runner';
import { PLATFORM, type InboundEvent } from '../../contract/platform';
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
export async function platformOf({ endpointUrl, region, stackName, ...credentials }: AwsAccess) {
  const options = { endpoint: endpointUrl, region, credentials };
  const { Stacks } = await new CloudFormationClient(options).send(new DescribeStacksCommand({ StackName: stackName }));
  const EventBusName = Stacks?.[0]?.Outputs?.find(({ OutputKey }) => OutputKey === 'PlatformBusArn')?.OutputValue;
  if (EventBusName === undefined) throw new Error('the stack has no bus');
  const bus = new EventBridgeClient(options);
  return async ({ type, detail }: InboundEvent): Promise<void> => {
    const entry = { EventBusName, Source: PLATFORM, DetailType: type, Detail: JSON.stringify(detail) };
    await bus.send(new PutEventsCommand({ Entries: [entry] }));
  };
}
