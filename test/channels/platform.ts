import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { PLATFORM, type InboundEventType } from '../../contract/platform';
import { access, stackName } from '../api/stack/aws-access';

let knownBus: Promise<string> | undefined;

async function findBus(): Promise<string> {
  const { Stacks = [] } = await new CloudFormationClient(access()).send(
    new DescribeStacksCommand({ StackName: stackName() }),
  );
  const found = Stacks[0]?.Outputs?.find(({ OutputKey }) => OutputKey === 'PlatformBusArn')?.OutputValue;
  if (found === undefined) throw new Error('the stack has no bus');
  return found;
}

/** Says something on the bus as the drone platform; each time it is a new event. `Time` is when it happened. */
export async function say(type: InboundEventType, detail: object, Time: Date): Promise<void> {
  const EventBusName = await (knownBus ??= findBus());
  const entry = { EventBusName, Source: PLATFORM, DetailType: type, Detail: JSON.stringify(detail), Time };
  const { FailedEntryCount } = await new EventBridgeClient(access()).send(new PutEventsCommand({ Entries: [entry] }));
  if (FailedEntryCount !== 0) throw new Error(`${type} was not taken`);
}
