import { Duration } from 'aws-cdk-lib/core';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import { EventSourceMapping, FilterCriteria, FilterRule, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { SqsDlq } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { ApiFunction } from './api-function';

/** The records of commands, without those of the heads of devices' commands. */
export const commandKeys: { readonly Keys: object } = { Keys: { commandId: { S: FilterRule.beginsWith('command-') } } };

export interface ChangeStreamProps {
  readonly from: Table;
  readonly to: ApiFunction;
  /** Dead-letter queue; receives the sequence numbers of failed records. */
  readonly failures: Queue;
  /** Filter pattern that a record must match. Default: all records. */
  readonly only?: Parameters<typeof FilterCriteria.filter>[0];
  /** How many batches of a shard are processed at the same time, up to 10. Default: one. */
  readonly batchesPerShard?: number;
}

/**
 * Invokes a function with the changes of a table, in order for each item, however many batches of a shard run at
 * the same time (Lambda developer guide, "Polling and batching streams"). A record that fails, since a table or AWS IoT does
 * not answer, is retried until it is 15 minutes old, then bisected out of its batch and sent to the dead-letter queue: the
 * records behind it would fail for the same reason.
 */
export function addChangeStream({ from, to, failures, only, batchesPerShard }: ChangeStreamProps): void {
  const eventSourceArn = from.tableStreamArn;
  if (!eventSourceArn) throw new Error(`Table ${from.node.path} has no stream.`);
  from.grantStreamRead(to.lambda);
  // The function itself sends records that it can't parse to the queue.
  to.lambda.addEnvironment('DEAD_LETTER_QUEUE_URL', failures.queueUrl);
  new EventSourceMapping(to, `From${from.node.id}`, {
    target: to.lambda,
    eventSourceArn,
    startingPosition: StartingPosition.TRIM_HORIZON,
    batchSize: 100,
    reportBatchItemFailures: true,
    bisectBatchOnError: true,
    maxRecordAge: Duration.minutes(15),
    onFailure: new SqsDlq(failures),
    ...(batchesPerShard !== undefined && { parallelizationFactor: batchesPerShard }),
    ...(only && { filters: [FilterCriteria.filter(only)] }),
  });
}
