import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { mockClient } from 'aws-sdk-client-mock';
import { BatchGetCommand, DeleteCommand, GetCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { endpointTable } from '../../contract/endpoint-table';
import { grantedTables, type TableUse } from '../../contract/terms/endpoint';
import { scopes, permits, scopeNames, namedScopes } from '../../contract/terms/scopes';
import { endpoints, type EndpointKey } from '../../contract/endpoints';
import { fleetKey } from '../../data/fleet/fleet-key';
import { jobKey, jobToItem } from '../../data/jobs/jobs';
import { commandToItem as commandItem } from '../../data/commands/commands';
import { acme, id, sampleCommand, sampleJob, sampleShare, fullSample, refusalOf } from '../domain/fixtures/samples';
import { missionFile } from '../api/given';
import { missionBucket } from '../data/fixtures/mission-bucket';
import { store } from '../data/fixtures/store';
import { call } from './fixtures/api-gateway';
import './fixtures/log';
import { flownJobId, storeCalls } from './fixtures/store-calls';
import { metadata } from '../../domain/values/metadata';
import { sample } from '../../domain/telemetry/reported-sample';
import { check } from '../../lambdas/runtime/details';
import { readJson } from '../../lambdas/runtime/read-json';
import type { Detail } from '../../domain/values/refusal';

describe('Store calls', () => {
  const job = jobToItem(acme, sampleJob());
  const flownJob = jobToItem(acme, sampleJob({ jobId: flownJobId, status: 'IN_PROGRESS', deviceId: id('device') }));
  const share = { ...sampleShare({ expiresAt: '2999-01-01T00:00:00.000Z' }), organisation: acme };
  const mission = {
    organisation: acme,
    missionId: id('mission'),
    version: 1,
    flown: { version: 1, until: 0 },
    format: 'GEOJSON',
    heightReference: 'TAKE_OFF',
    waypointCount: 2,
    length: 125.8,
    start: [8.5417, 47.3769],
    createdAt: '2026-11-27T10:30:00.000Z',
    updatedAt: '2026-11-27T10:30:00.000Z',
  };
  const group = { kind: 'group', deviceGroupId: id('group'), name: 'North quarry', description: '' };
  const device = {
    kind: 'device',
    deviceId: id('device'),
    deviceGroupId: id('group'),
    name: 'Kestrel',
    status: 'online',
  };
  const flying = {
    ...device,
    lastState: JSON.stringify({ timestamp: '2026-11-27T10:30:00.000Z', droneState: 'WAYPOINT' }),
    takeOff: { timestamp: '2026-11-27T10:20:00.000Z' },
  };
  const command = commandItem(sampleCommand(), undefined);
  const lastState = JSON.stringify({
    timestamp: new Date().toISOString(),
    droneState: 'DOCKED',
    navigation: { position: { type: 'Point', coordinates: [8.5417, 47.3769, 440] } },
    battery: { percent: 90 },
  });
  const queue = mockClient(SQSClient);
  missionBucket();
  const bus = mockClient(EventBridgeClient);

  beforeEach(() => {
    process.env['SHARE_BASE_URL'] = 'https://share.test';
    store.resolves({});
    store.on(UpdateCommand).resolves({ Attributes: job });
    store.on(UpdateCommand, { TableName: 'requests' }).resolves({ Attributes: { calls: 1 } });
    store.on(GetCommand).resolves({ Item: job });
    store.on(GetCommand, { TableName: 'jobs', Key: jobKey(flownJobId) }).resolves({ Item: flownJob });
    store.on(GetCommand, { TableName: 'requests' }).resolves({});
    store.on(GetCommand, { TableName: 'shares' }).resolves({ Item: share });
    const line = JSON.stringify({ waypoints: missionFile.geometry.coordinates, heightReference: 'TAKE_OFF' });
    store.on(GetCommand, { TableName: 'missions' }).resolves({ Item: { ...mission, line } });
    store.on(UpdateCommand, { TableName: 'missions' }).resolves({ Attributes: mission });
    store.on(DeleteCommand, { TableName: 'missions' }).resolves({ Attributes: mission });
    store.on(GetCommand, { TableName: 'fleet' }).resolves({ Item: flying });
    store.on(GetCommand, { TableName: 'commands' }).resolves({ Item: command });
    store
      .on(GetCommand, { TableName: 'commands', Key: { deviceId: id('device'), commandId: 'head' } })
      .resolves({ Item: { sequence: 7 } });
    store.on(QueryCommand, { TableName: 'commands' }).resolves({ Items: [command] });
    store
      .on(QueryCommand, { TableName: 'events' })
      .resolves({ Items: [{ number: 6, channel: `job#${id('job')}`, message: '{}', ttl: 9e9 }] });
    store.on(BatchGetCommand).resolves({ Responses: { fleet: [group] } });
    store
      .on(BatchGetCommand, { RequestItems: { fleet: { Keys: [fleetKey(acme, id('device'))] } } })
      .resolves({ Responses: { fleet: [{ ...device, lastState }] } });
    const standing = { id: id('device'), deviceGroupId: id('group'), status: 'online', standsAt: '8.5417,47.3769' };
    store.on(QueryCommand, { TableName: 'fleet', IndexName: 'standing' }).resolves({ Items: [standing] });
    process.env['RETRY_QUEUE_URL'] = 'https://sqs.test/retries';
    queue.on(SendMessageCommand).resolves({});
    process.env['PLATFORM_BUS'] = 'platform';
    bus.on(PutEventsCommand).callsFake(({ Entries = [] }: PutEventsCommand['input']) => {
      const { requestId } = JSON.parse(Entries[0]?.Detail ?? '') as { requestId: string };
      store
        .on(GetCommand, { TableName: 'requests', Key: { id: `check#${requestId}` } })
        .resolves({ Item: { report: JSON.stringify({ findings: [] }) } });
      return { FailedEntryCount: 0 };
    });
  });

  const uses: Record<string, TableUse> = {
    GetCommand: 'get',
    BatchGetCommand: 'batchGet',
    QueryCommand: 'query',
    PutCommand: 'put',
    UpdateCommand: 'update',
    DeleteCommand: 'delete',
  };

  interface StoreInput {
    readonly TableName?: string;
    readonly RequestItems?: object;
    readonly TransactItems?: readonly { readonly Put: { readonly TableName: string } }[];
  }

  /** Table and use of each call, in the form of the table of endpoints: `jobs put`. */
  const tableUses = () =>
    store.calls().flatMap(({ args: [command] }) => {
      const { TableName, RequestItems = {}, TransactItems = [] } = command.input as StoreInput;
      const use = uses[command.constructor.name];
      const tables = [...(TableName ? [TableName] : []), ...Object.keys(RequestItems)];
      return [...tables.map((name) => `${name} ${use}`), ...TransactItems.map(({ Put }) => `${Put.TableName} put`)];
    });

  // The function that issues tokens calls Cognito, which `issue-token.test.ts` has.
  const cases = storeCalls.filter(([key]) => key !== 'POST /v3/auth/token');

  const pathParameters = {
    jobId: id('job'),
    missionId: id('mission'),
    shareCode: id('share'),
    deviceId: id('device'),
    commandId: id('command'),
  };

  describe.each(cases)('%s with %j', (endpoint, sent, calls) => {
    beforeEach(async () => {
      const { handler } = (await import(`../../lambdas/${endpoints[endpoint].handler}.lambda`)) as { handler: unknown };
      const { path: named, ...more } = sent;
      const given = Object.entries({ ...pathParameters, ...named }).filter(([name]) => endpoint.includes(`{${name}}`));
      const path = given.length > 0 ? { path: Object.fromEntries(given) } : {};
      const { status } = await call(handler, { scopes, ...path, ...more });
      if (status !== endpoints[endpoint].reply.status) throw new Error(`the answer has the status ${status}`);
    });

    test(`calls DynamoDB ${calls} times`, () => {
      expect(store.calls()).toHaveLength(calls);
    });

    test('uses only what the table of endpoints grants its function', () => {
      const granted = Object.entries(grantedTables(endpointTable[endpoint])).flatMap(([name, allowed]) =>
        allowed.map((use) => `${name} ${use}`),
      );
      expect(granted).toEqual(expect.arrayContaining(tableUses()));
    });
  });

  test.each<EndpointKey>(['POST /v3/jobs/dispatch', 'POST /v3/jobs/check'])(
    '%s beside a claim costs one read more: its job, which it may have outlived',
    async (endpoint) => {
      const claim = { deviceId: id('device'), jobId: id('job'), ttl: 9e9 };
      const claims = { requests: { Keys: [{ id: `claim#${id('device')}` }], ConsistentRead: true } };
      store.on(BatchGetCommand, { RequestItems: claims }).resolves({ Responses: { requests: [claim] } });
      const { handler } = (await import(`../../lambdas/${endpoints[endpoint].handler}.lambda`)) as { handler: unknown };
      const body = {
        name: 'Alarm',
        deviceGroupId: id('group'),
        desiredLocation: { type: 'Point', coordinates: [8.5417, 47.3769] },
      };
      expect((await call(handler, { scopes, body })).status).toBe(endpoints[endpoint].reply.status);
      expect(tableUses().filter((use) => use === 'jobs batchGet')).toHaveLength(1);
      expect(grantedTables(endpointTable[endpoint])).toMatchObject({
        jobs: expect.arrayContaining(['batchGet']) as string[],
      });
    },
  );

  test.each<[key: EndpointKey, expected: string[]]>([
    ['GET /v3/shares/{shareCode}', ['shares get']],
    ['GET /v3/shares/{shareCode}/resources', ['requests update', 'shares get']],
  ])('%s with an unknown share code costs one read, and the count of its limit', async (endpoint, expected) => {
    store.on(GetCommand, { TableName: 'shares' }).resolves({});
    const path = `../../lambdas/${endpoints[endpoint].handler}.lambda`;
    const { handler } = (await import(path)) as { handler: unknown };
    expect(await call(handler, { scopes, path: { shareCode: id('share') } })).toMatchObject({ status: 404 });
    expect(tableUses()).toEqual(expected);
  });

  test('there is a row of every endpoint', () => {
    expect([...new Set(storeCalls.map(([key]) => key))].sort()).toEqual(Object.keys(endpointTable).sort());
  });
});

/** The authorizer allows a client every method, so each function that API Gateway calls with a token checks the scope. */
describe('Scope checks', () => {
  const guarded = Object.entries(endpointTable).filter(([, { scope }]) => scope !== null);

  test.each(guarded)('the function of %s refuses a caller without its scope, and names it', async (_, endpoint) => {
    const needed = namedScopes(endpoint);
    const { handler } = (await import(`../../lambdas/${endpoint.handler}.lambda`)) as { handler: unknown };
    const message = `needs scope ${scopeNames(endpoint)}`;
    // Of an endpoint that needs all, each one alone.
    const parts = needed.map((scope) => [scope]).filter((held) => !permits(endpoint, held));
    for (const held of [[], scopes.filter((scope) => !needed.includes(scope)), ...parts])
      expect(await call(handler, { scopes: held })).toMatchObject({
        status: 403,
        body: { error: 'Forbidden', details: [{ path: 'Authorization', message }] },
      });
    expect(store).not.toHaveReceivedAnyCommand();
  });
});

describe('Lost members', () => {
  /** Faults of a schema; the value is that of an event, which arrives parsed. */
  const faultsBy = (schema: Parameters<typeof check>[0], text: string) =>
    refusalOf(() => check(schema, JSON.parse(text) as unknown)).details;
  const sampleWith = (sensorPayload: string) =>
    `{${JSON.stringify(fullSample).slice(1, -1)},"sensorPayload":${sensorPayload}}`;

  /**
   * Everything that takes free-form data, with its path. JSON of requests, of frames and of files is read by one
   * reader, before any schema.
   */
  const takers: [what: string, path: string, faultsIn: (free: string) => readonly Detail[]][] = [
    ['a request, a frame or a file', 'a', (free) => readJson(`{"a":${free}}`, 'checked').faults],
    ['metadata', '', (free) => faultsBy(metadata, free)],
    ['the sensor data of a sample', 'sensorPayload', (free) => faultsBy(sample, sampleWith(free))],
  ];

  const places: [free: string, path: string][] = [
    ['{"__proto__":{"height":3}}', '__proto__'],
    ['{"__proto__":null}', '__proto__'],
    ['{"\\u005f_proto__":1}', '__proto__'],
    ['{"camera":{"__proto__":1}}', 'camera.__proto__'],
    ['{"list":[{"deep":{"__proto__":[]}}]}', 'list.0.deep.__proto__'],
  ];

  describe.each(takers)('%s', (_, at, faultsIn) => {
    test.each(places)('%s is refused with its path', (free, path) => {
      const message = 'is a name that programs lose: choose another';
      expect(faultsIn(free)).toEqual([{ path: [at, path].filter(Boolean).join('.'), message }]);
    });
  });

  test.each(['constructor', 'prototype', 'toString', 'hasOwnProperty', '__defineGetter__', 'proto'])(
    'a member named %s arrives as it was sent',
    (name) => {
      const text = `{"${name}":{"${name}":1}}`;
      expect(readJson(text, 'checked')).toEqual({ value: JSON.parse(text) as unknown, faults: [] });
      expect(JSON.stringify(check(metadata, JSON.parse(text)))).toBe(text);
      expect(JSON.stringify(check(sample, JSON.parse(sampleWith(text))).sensorPayload)).toBe(text);
    },
  );
});
