import { Duration } from 'aws-cdk-lib/core';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import { EventSourceMapping, FilterCriteria, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { SqsDlq } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { ApiFunction } from './api-function';

export interface ChangeStreamProps {
  readonly from: Table;
  readonly to: ApiFunction;
  /** Where the numbers of records go that could not be worked on. */
  readonly failures: Queue;
  /** Literals that a record must match; all records without. */
  readonly only?: Parameters<typeof FilterCriteria.filter>[0];
}

/**
 * Hands the changes of a table to a function, in order for each item. A record that can't be worked on, since a table or
 * AWS IoT does not answer, is tried again until it is a quarter of an hour old, cut out of its batch and put aside then:
 * what is behind it could not be worked on either.
 */
export function addChangeStream({ from, to, failures, only }: ChangeStreamProps): void {
  const eventSourceArn = from.tableStreamArn;
  if (!eventSourceArn) throw new Error(`Table ${from.node.path} has no stream.`);
  from.grantStreamRead(to.lambda);
  // A function puts aside itself what it can't read.
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
    ...(only && { filters: [FilterCriteria.filter(only)] }),
  });
}
