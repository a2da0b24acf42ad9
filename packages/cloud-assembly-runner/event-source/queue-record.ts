import { md5, systemAttributesOf, type ReceivedMessage } from '../sqs/message';

export interface QueueRecordPlace {
  readonly region: string;
  readonly accountId: string;
  readonly queueArn: string;
}

/** A message in a function's event: Lambda developer guide, "Example Amazon SQS message event". */
export type QueueRecord = ReturnType<typeof queueRecord>;

export function queueRecord(message: ReceivedMessage, { region, accountId, queueArn }: QueueRecordPlace) {
  return {
    messageId: message.id,
    receiptHandle: message.receiptHandle,
    body: message.body,
    attributes: systemAttributesOf(message, accountId),
    messageAttributes: Object.fromEntries(
      Object.entries(message.attributes).map(([name, { DataType, StringValue, BinaryValue }]) => [
        name,
        {
          ...(StringValue !== undefined && { stringValue: StringValue }),
          ...(BinaryValue !== undefined && { binaryValue: BinaryValue }),
          stringListValues: [],
          binaryListValues: [],
          dataType: DataType,
        },
      ]),
    ),
    md5OfBody: md5(message.body),
    eventSource: 'aws:sqs',
    eventSourceARN: queueArn,
    awsRegion: region,
  };
}
