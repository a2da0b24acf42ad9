import * as z from 'zod/mini';
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { makePlatformQueue, type PlatformQueue } from './platform-queue';
import { PLATFORM, type InboundEventType } from '../../contract/platform/platform';
import { access, stackName } from '../api/stack/aws-access';

const received = z.object({ source: z.string(), 'detail-type': z.string(), detail: z.looseObject({}) });

/** An event of this service, as the platform receives it. */
export type ReceivedEvent = z.output<typeof received>;

/**
 * Listens to the bus as the platform does, for all tests of a file.
 * @param waitSeconds how long a call waits for an event
 * @returns reads the events that have come since the last call, those of other tests too
 */
export function listenAsPlatform(waitSeconds = 20): () => Promise<ReceivedEvent[]> {
  let queue: PlatformQueue | undefined;
  beforeAll(async () => {
    // Another one at each run, since an account has a name of a queue again only a minute after it was deleted.
    queue = await makePlatformQueue(`platform-test-${process.pid}-${Date.now()}`);
  });
  afterAll(() => queue?.remove());
  return async () => ((await queue?.take(waitSeconds)) ?? []).map((event) => received.parse(event));
}

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
