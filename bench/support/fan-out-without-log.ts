import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import { changeOf, createdAtOf, topicSubscribersOf, type StreamRecord } from '../../data/channels/stream-records';
import { eventsBetween } from '../../domain/channels/status-event';
import { followedGroup } from '../../lambdas/telemetry/followed-group';
import { inOrder } from '../../lambdas/runtime/in-order';
import { audienceUntil, findAudience, publishStatus } from '../../lambdas/channels/publish-status';

/** The baseline of the event log: publishes changes as `lambdas/channels/status-fan-out.lambda.ts` does, but writes none into the log. */
export function handler({ Records }: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> {
  const audienceOfDevices = findAudience(({ id }) => followedGroup(id));
  const fanOut = async (record: StreamRecord) => {
    const change = changeOf(record);
    if (!change) return;
    const audience = change.kind === 'device' ? audienceOfDevices : audienceUntil(topicSubscribersOf(record).until);
    for (const event of eventsBetween(change, createdAtOf(record))) await publishStatus(event, audience);
  };
  return inOrder(Records as StreamRecord[], fanOut, (_, error) => console.error(error));
}
