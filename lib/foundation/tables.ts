import { RemovalPolicy } from 'aws-cdk-lib/core';
import {
  AttributeType,
  BillingMode,
  ProjectionType,
  StreamViewType,
  Table,
  TableEncryption,
  type Attribute,
  type TableProps,
} from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
import { tableNames, tableOutput, type TableName } from '../../domain/values/table-names';
import { publishOutputs } from './publish-outputs';

const text = (name: string): Attribute => ({ name, type: AttributeType.STRING });

export interface TablesProps {
  /** Whether deleting the stack deletes the data. */
  readonly removeData: boolean;
}

/** DynamoDB tables, one per aggregate. */
export class Tables extends Construct implements Record<TableName, Table> {
  readonly jobs: Table;
  readonly shares: Table;
  readonly fleet: Table;
  readonly partners: Table;
  /** Rate limit counters, and replies by idempotency key. */
  readonly requests: Table;
  /** Open sockets by the channel that they follow. */
  readonly connections: Table;
  /** The event log of each organisation. */
  readonly events: Table;
  /** Positions of flights, by job and by device. */
  readonly flights: Table;
  /** Missions as they are; their files are in a bucket. */
  readonly missions: Table;
  /** Commands by device, beside what the next one of the device builds on. */
  readonly commands: Table;

  /** Indexes that functions query, by table. */
  readonly queried: Readonly<Partial<Record<TableName, readonly string[]>>> = {
    jobs: ['by-status', 'with-device'],
    commands: ['open'],
    fleet: ['standing'],
    connections: ['by-socket'],
    events: ['by-channel'],
  };
  /** Index of the fleet table with the keys of online devices only; always scanned completely. */
  readonly onlineIndex = 'online';
  /** All indexes, by table. */
  readonly indexes: Readonly<Partial<Record<TableName, readonly string[]>>> = {
    ...this.queried,
    fleet: ['standing', this.onlineIndex],
  };

  constructor(scope: Construct, id: string, { removeData }: TablesProps) {
    super(scope, id);
    const common = {
      billingMode: BillingMode.PAY_PER_REQUEST,
      encryption: TableEncryption.AWS_MANAGED,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: !removeData,
      removalPolicy: removeData ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN,
    } satisfies Partial<TableProps>;
    const stream = StreamViewType.NEW_AND_OLD_IMAGES;
    const organisation = text('organisation');
    const number: Attribute = { name: 'number', type: AttributeType.NUMBER };

    this.jobs = new Table(this, 'Jobs', { ...common, stream, partitionKey: organisation, sortKey: text('jobId') });
    this.jobs.addGlobalSecondaryIndex({
      indexName: 'by-status',
      partitionKey: text('organisationStatus'),
      sortKey: text('jobId'),
      projectionType: ProjectionType.INCLUDE,
      nonKeyAttributes: ['name', 'priority', 'createdAt', 'status', 'deviceGroupId', 'deviceId'],
    });
    // Only jobs that name a device have its key.
    this.jobs.addGlobalSecondaryIndex({
      indexName: 'with-device',
      partitionKey: text('organisationStatus'),
      sortKey: text('deviceId'),
      projectionType: ProjectionType.KEYS_ONLY,
    });
    this.shares = new Table(this, 'Shares', {
      ...common,
      stream,
      partitionKey: organisation,
      sortKey: text('shareCode'),
      timeToLiveAttribute: 'ttl',
    });
    this.fleet = new Table(this, 'Fleet', {
      ...common,
      stream,
      partitionKey: text('fleetPartition'),
      sortKey: text('id'),
      timeToLiveAttribute: 'ttl',
    });
    // Samples of a device that stays online do not change its entry, so they cost no write to this index.
    this.fleet.addGlobalSecondaryIndex({
      indexName: this.onlineIndex,
      partitionKey: text('presentIn'),
      projectionType: ProjectionType.KEYS_ONLY,
    });
    // Where devices stand: one that flies is not in here, and one that stands still does not write it.
    this.fleet.addGlobalSecondaryIndex({
      indexName: 'standing',
      partitionKey: text('standsIn'),
      projectionType: ProjectionType.INCLUDE,
      nonKeyAttributes: ['standsAt', 'deviceGroupId', 'status'],
    });
    this.partners = new Table(this, 'Partners', { ...common, partitionKey: text('clientId') });
    this.requests = new Table(this, 'Requests', { ...common, partitionKey: text('id'), timeToLiveAttribute: 'ttl' });
    this.connections = new Table(this, 'Connections', {
      ...common,
      partitionKey: text('channel'),
      sortKey: text('connectionId'),
      timeToLiveAttribute: 'ttl',
    });
    // Only items of sockets have the key: writes of seats and of MQTT subscriptions cost nothing here.
    this.connections.addGlobalSecondaryIndex({
      indexName: 'by-socket',
      partitionKey: text('socketId'),
      projectionType: ProjectionType.INCLUDE,
      nonKeyAttributes: ['clientId', 'shareCode', 'shard', 'broadcast', 'session', 'openedAt', 'expiresAt'],
    });
    this.events = new Table(this, 'Events', {
      ...common,
      partitionKey: text('log'),
      sortKey: number,
      timeToLiveAttribute: 'ttl',
    });
    // The head of a log has no channel: it is not in here.
    this.events.addGlobalSecondaryIndex({
      indexName: 'by-channel',
      partitionKey: text('channel'),
      sortKey: number,
      projectionType: ProjectionType.ALL,
    });
    this.flights = new Table(this, 'Flights', {
      ...common,
      partitionKey: text('flight'),
      // Unix seconds.
      sortKey: { name: 'second', type: AttributeType.NUMBER },
      timeToLiveAttribute: 'ttl',
    });
    this.missions = new Table(this, 'Missions', {
      ...common,
      partitionKey: organisation,
      sortKey: text('missionId'),
      timeToLiveAttribute: 'ttl',
    });
    this.commands = new Table(this, 'Commands', {
      ...common,
      stream,
      partitionKey: text('deviceId'),
      sortKey: text('commandId'),
      timeToLiveAttribute: 'ttl',
    });
    // Only commands without an outcome have its key.
    this.commands.addGlobalSecondaryIndex({
      indexName: 'open',
      partitionKey: text('openOn'),
      sortKey: text('commandId'),
      projectionType: ProjectionType.INCLUDE,
      nonKeyAttributes: ['sequence', 'shareCode'],
    });
    publishOutputs(this, Object.fromEntries(tableNames.map((name) => [tableOutput(name), this[name].tableName])));
  }
}
