import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { PLATFORM, type InboundEventType } from '../../contract/platform/platform';
import { access, stackName } from '../api/stack/aws-access';

let knownBus: Promise<string> | undefined;

/** ARN of the bus of the stack under test. */
export const platformBus = () => (knownBus ??= findBus());

async function findBus(): Promise<string> {
  const { Stacks = [] } = await new CloudFormationClient(access()).send(
    new DescribeStacksCommand({ StackName: stackName() }),
  );
  const found = Stacks[0]?.Outputs?.find(({ OutputKey }) => OutputKey === 'PlatformBusArn')?.OutputValue;
  if (found === undefined) throw new Error('the stack has no bus');
  return found;
}

/** Publishes a new event as the drone platform. `Time` is the time of the event. */
export async function publishPlatformEvent(type: InboundEventType, detail: object, Time: Date): Promise<void> {
  const EventBusName = await platformBus();
  const entry = { EventBusName, Source: PLATFORM, DetailType: type, Detail: JSON.stringify(detail), Time };
  const { FailedEntryCount } = await new EventBridgeClient(access()).send(new PutEventsCommand({ Entries: [entry] }));
  if (FailedEntryCount !== 0) throw new Error(`${type} was not accepted`);
}
