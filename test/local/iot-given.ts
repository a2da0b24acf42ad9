import type { TLSSocket } from 'node:tls';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type IClientOptions, type MqttClient } from 'mqtt';
import { serverCertificate } from '../../local/certificate-authority';
import { createIot, type Iot, type IotOptions } from '../../local/iot';
import type { Resource } from '../../local/service';

export const place = { region: 'eu-central-1', accountId: '123456789012' };
export const arn = (kind: string, name: string) => `arn:aws:iot:${place.region}:${place.accountId}:${kind}/${name}`;

/** A statement that allows actions on resources, each named `kind/name`. */
export const allow = (actions: string | string[], ...resources: string[]) => ({
  Effect: 'Allow',
  Action: actions,
  Resource: resources.map((one) =>
    one === '*' ? one : arn(one.slice(0, one.indexOf('/')), one.slice(one.indexOf('/') + 1)),
  ),
});

export const policy = (...Statement: object[]) => ({ Version: '2012-10-17', Statement });

/** What an authorizer answers for a client that may do what the statements say. */
export const answer = (...statements: object[]) => ({
  isAuthenticated: true,
  principalId: 'partner7',
  policyDocuments: [JSON.stringify(policy(...statements))],
  disconnectAfterInSeconds: 3600,
  refreshAfterInSeconds: 300,
});

export const everything = answer(allow('iot:*', '*'));

/** A call of a function: its name and its event. */
export type Call = readonly [functionArn: string, event: Record<string, unknown>];

/** An IoT Core with an authorizer, a rule that takes all lifecycle events, and functions that are functions of the test. */
export interface GivenIot {
  readonly iot: Iot;
  readonly calls: Call[];
  readonly log: string[];
  /** Answers of the authorizer by user name. */
  readonly users: Record<string, unknown>;
  /** Connects, and rejects with what the broker answered. */
  connect(username: string, options?: IClientOptions): Promise<MqttClient>;
  /** Starts again, with the same data. */
  restart(): Promise<void>;
  /** The same, and the one before ends in no order: it says nothing more that counts. */
  restartKilled(): Promise<void>;
  end(): Promise<void>;
}

export const resource = (type: string, logicalId: string, properties: Record<string, unknown>): Resource => ({
  logicalId,
  type: `AWS::IoT::${type}`,
  properties,
  metadata: {},
});

export const rule = (name: string, Sql: string, FunctionArn = 'recorder') =>
  resource('TopicRule', name, { TopicRulePayload: { Sql, Actions: [{ Lambda: { FunctionArn } }] } });

/** A domain configuration of the customer's, enabled unless told otherwise. */
export const domainConfiguration = (logicalId: string, authorizer?: string, more: Record<string, unknown> = {}) =>
  resource('DomainConfiguration', logicalId, {
    DomainConfigurationStatus: 'ENABLED',
    DomainName: 'mqtt.example.com',
    ServerCertificateArns: ['arn:aws:acm:eu-central-1:123456789012:certificate/abc'],
    ...(authorizer !== undefined && { AuthorizerConfig: { DefaultAuthorizerName: authorizer } }),
    ...more,
  });

export async function givenIot(more: Partial<IotOptions> = {}): Promise<GivenIot> {
  const folder = mkdtempSync(join(tmpdir(), 'iot-test-'));
  const certificate = await serverCertificate(folder);
  const ca = readFileSync(certificate.caFile);
  const calls: Call[] = [];
  const log: string[] = [];
  const users: Record<string, unknown> = { anyone: everything };
  const clients: MqttClient[] = [];

  const lambda: IotOptions['lambda'] = {
    permits: () => true,
    invoke: (functionArn, event) => {
      calls.push([functionArn, event as Call[1]]);
      if (functionArn !== 'authorizer') return Promise.resolve(null);
      const { username } = (event as { protocolData: { mqtt: { username: string } } }).protocolData.mqtt;
      const given = users[username] ?? { isAuthenticated: false };
      return given instanceof Error ? Promise.reject(given) : Promise.resolve(given);
    },
  };

  async function start(): Promise<Iot> {
    const made = createIot({
      ...place,
      port: 0,
      certificate,
      dataFolder: folder,
      lambda,
      log: (line) => log.push(line),
      ...more,
    });
    await made.create(
      resource('Authorizer', 'Tokens', {
        AuthorizerFunctionArn: 'authorizer',
        SigningDisabled: true,
        Status: 'ACTIVE',
      }),
    );
    await made.create(domainConfiguration('Domain', 'Tokens'));
    await made.create(rule('Presence', `SELECT * FROM '$aws/events/#'`));
    await made.start?.();
    return made;
  }
  let iot = await start();
  const killed: Iot[] = [];

  return {
    get iot() {
      return iot;
    },
    calls,
    log,
    users,
    connect: (username, options = {}) =>
      new Promise((resolve, reject) => {
        const client = connect(iot.url ?? '', {
          ca,
          username,
          password: 'secret',
          reconnectPeriod: 0,
          protocolVersion: 4,
          ...options,
        });
        clients.push(client);
        client.once('connect', () => resolve(client)).once('error', reject);
        client.once('close', () => reject(new Error('closed without an answer')));
        client.on('error', () => undefined);
      }),
    async restart() {
      await iot.stop?.();
      iot = await start();
    },
    async restartKilled() {
      killed.push(iot);
      iot = await start();
    },
    async end() {
      await Promise.all(clients.map((client) => client.endAsync(true)));
      for (const one of [...killed, iot]) await one.stop?.();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Lifecycle events that reached the rule, without their times. */
export function eventsOf(calls: readonly Call[], ...types: string[]): Record<string, unknown>[] {
  return calls
    .filter(([functionArn, { eventType }]) => functionArn === 'recorder' && types.includes(String(eventType)))
    .map(([, event]) => event);
}

/** Messages that a client got so far, as `topic payload`, `!` before those that were retained. */
export function inbox(client: MqttClient): string[] {
  const got: string[] = [];
  client.on('message', (topic, payload, { retain }) => got.push(`${retain ? '!' : ''}${topic} ${payload.toString()}`));
  return got;
}

/** Subscribes, and gives the return codes of SUBACK. */
export const subscribe = (client: MqttClient, filters: string | string[], qos: 0 | 1 = 1) =>
  new Promise<readonly unknown[]>((resolve) => {
    client.subscribe(filters, { qos }, (_error, _granted, packet) => resolve(packet?.granted ?? []));
  });

/** Resolves when the connection is closed. */
export const closed = (client: MqttClient) =>
  new Promise<void>((resolve) => (client.connected ? client.once('close', () => resolve()) : resolve()));

/** Resolves when everything that was sent to the client before has arrived. */
export function settled(client: MqttClient): Promise<void> {
  return new Promise((resolve) => {
    client.once('packetreceive', function next(packet) {
      if (packet.cmd === 'pingresp') resolve();
      else client.once('packetreceive', next);
    });
    client.sendPing();
  });
}

/** Looks again and again until the condition holds. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** Lets a client read nothing any more. */
export function stopReading(client: MqttClient): void {
  (client.stream as TLSSocket).pause();
}
