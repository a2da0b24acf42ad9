import { RemovalPolicy } from 'aws-cdk-lib/core';
import { AttributeType, BillingMode, ProjectionType, StreamViewType, Table } from 'aws-cdk-lib/aws-dynamodb';
import { TableEncryption, type Attribute, type TableProps } from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
import type { TableName } from '../contract/endpoint';

const text = (name: string): Attribute => ({ name, type: AttributeType.STRING });

export interface TablesProps {
  /** Whether deleting the stack deletes what partners have stored. */
  readonly removeData: boolean;
}

/** Where everything is kept, one table per aggregate. */
export class Tables extends Construct implements Record<TableName, Table> {
  readonly jobs: Table;
  readonly shares: Table;
  readonly fleet: Table;
  readonly partners: Table;
  /** Counters of rate windows and answers by idempotency key. */
  readonly requests: Table;
  /** Open sockets by what they follow. */
  readonly connections: Table;

  /** Indexes that a query may use, by table. */
  readonly queried: Readonly<Partial<Record<TableName, readonly string[]>>> = {
    jobs: ['by-status'],
    connections: ['by-connection'],
  };
  /** Of the fleet: holds the keys of devices that are online and of nothing else, to be read whole. */
  readonly onlineIndex = 'online';
  /** All indexes, by table. */
  readonly indexes: Readonly<Partial<Record<TableName, readonly string[]>>> = {
    ...this.queried,
    fleet: [this.onlineIndex],
  };

  constructor(scope: Construct, id: string, { removeData }: TablesProps) {
    super(scope, id);
    const kept = {
      billingMode: BillingMode.PAY_PER_REQUEST,
      encryption: TableEncryption.AWS_MANAGED,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: !removeData,
      removalPolicy: removeData ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN,
    } satisfies Partial<TableProps>;
    const stream = StreamViewType.NEW_AND_OLD_IMAGES;
    const organisation = text('organisation');

    this.jobs = new Table(this, 'Jobs', { ...kept, stream, partitionKey: organisation, sortKey: text('jobId') });
    this.jobs.addGlobalSecondaryIndex({
      indexName: 'by-status',
      partitionKey: text('organisationStatus'),
      sortKey: text('jobId'),
      projectionType: ProjectionType.INCLUDE,
      nonKeyAttributes: ['name', 'priority', 'createdAt', 'status'],
    });
    this.shares = new Table(this, 'Shares', {
      ...kept,
      stream,
      partitionKey: organisation,
      sortKey: text('shareCode'),
      timeToLiveAttribute: 'ttl',
    });
    this.fleet = new Table(this, 'Fleet', {
      ...kept,
      stream,
      partitionKey: organisation,
      sortKey: text('id'),
      timeToLiveAttribute: 'ttl',
    });
    // A device that goes on reporting leaves its entry as it is, so its samples cost no write there.
    this.fleet.addGlobalSecondaryIndex({
      indexName: this.onlineIndex,
      partitionKey: text('presentIn'),
      projectionType: ProjectionType.KEYS_ONLY,
    });
    this.partners = new Table(this, 'Partners', { ...kept, partitionKey: text('clientId') });
    this.requests = new Table(this, 'Requests', { ...kept, partitionKey: text('id'), timeToLiveAttribute: 'ttl' });
    this.connections = new Table(this, 'Connections', {
      ...kept,
      partitionKey: text('channel'),
      sortKey: text('connectionId'),
      timeToLiveAttribute: 'ttl',
    });
    this.connections.addGlobalSecondaryIndex({ indexName: 'by-connection', partitionKey: text('connectionId') });
  }
}
