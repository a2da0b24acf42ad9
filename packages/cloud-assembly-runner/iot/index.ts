/**
 * AWS IoT Core: an MQTT 3.1.1 broker over TLS, and over WebSockets behind a distribution, with custom authorizers, topic rules
 * and the data plane API. Each part names the AWS page that it follows. Not supported: MQTT 5, shared subscriptions,
 * client certificates, things, shadows, and reserved topics other than lifecycle events, which only rules receive.
 */
import { join } from 'node:path';
import type { DeploymentApi } from '../cloudformation/aws-custom-resource';
import { noMeter, type Meter } from '../billing/meter';
import type { Lambda } from '../lambda';
import { noFaults, type Faults } from '../faults';
import { noQuotas, type Quotas } from '../quotas';
import type { Sqs } from '../sqs';
import type { AwsApi, Created, Resource, Service } from '../service';
import { createArns } from './arns';
import { createAuthorizers, createDeploymentApi, createDomainConfigurations } from './control-plane';
import { startBroker, type Broker } from './broker/broker';
import { createWebSocketOrigin } from './broker/web-socket-origin';
import type { Origin } from '../cloudfront';
import { createDataPlane } from './data-plane';
import { createAsyncInvoker } from '../lambda/async-invoker';
import { openConnectionLog } from '../data-folder/connection-log';
import { disconnected, subject, type LifecycleEvent } from './broker/connection';
import { openRetainedMessages } from './broker/retained';
import { createRules, type RuleMessage } from './rules';

export interface IotOptions {
  readonly region: string;
  readonly accountId: string;
  /** 0 for any free port. */
  readonly port: number;
  /** Default: 127.0.0.1. */
  readonly host?: string;
  /** Private key and certificate of the TLS server, PEM. */
  readonly certificate: { readonly key: string; readonly cert: string };
  /** Stores retained messages and the log of open connections; without it both are lost with the process. */
  readonly dataFolder?: string;
  readonly lambda: Pick<Lambda, 'invoke' | 'permits'> & Partial<Pick<Lambda, 'eventLimitsOf' | 'deadLetterQueueOf'>>;
  /** Dead-letter queues of functions. Default: none. */
  readonly sqs?: Pick<Sqs, 'send'>;
  /** Default: 50, a quota that AWS raises on request. */
  readonly subscriptionsPerConnection?: number;
  /** Default: none. */
  readonly quotas?: Quotas;
  /** Default: none. */
  readonly faults?: Pick<Faults, 'losesLifecycleEvent' | 'refreshMs'>;
  /** Default: none. */
  readonly meter?: Meter;
  /** Delays before the second and the third attempt of a rule's function; default: those of AWS. */
  readonly retryDelaysMs?: readonly number[];
  /** Receives a line for each refusal and each failed rule; no line contains a topic or a password. */
  log(line: string): void;
}

export interface Iot extends Service, AwsApi {
  /** API for custom resources at deployment. */
  readonly deploymentApi: DeploymentApi;
  /** `mqtts://127.0.0.1:<port>`; known after `start`, undefined without a domain configuration. */
  readonly url: string | undefined;
  /** The endpoint of a domain configuration for MQTT over WebSockets, for a distribution; undefined for another domain. */
  originOf(domain: string): Origin | undefined;
}

/**
 * IoT Core for the authorizers, domain configurations and topic rules of a template. One domain configuration is served over
 * TLS, and each for WebSockets as an origin.
 */
export function createIot(options: IotOptions): Iot {
  const { lambda, host = '127.0.0.1', port, certificate, subscriptionsPerConnection = 50 } = options;
  const { quotas = noQuotas, faults = noFaults, meter = noMeter } = options;
  const log = (line: string) => options.log(`iot ${line}`);
  const arns = createArns(options);
  const asyncInvoker = createAsyncInvoker({ lambda, log, sqs: options.sqs, retryDelaysMs: options.retryDelaysMs });
  const rules = createRules({ lambda, asyncInvoker, arnOf: arns.rule, meter, log });
  const retained = openRetainedMessages(options.dataFolder);
  const connectionLog = openConnectionLog(
    options.dataFolder && join(options.dataFolder, 'mqtt-connections.jsonl'),
    subject,
  );
  const domains = createDomainConfigurations(arns, options.region);
  const authorizers = createAuthorizers({ arns, lambda, isNamed: domains.isNamed, log });
  let broker: Broker | undefined;

  const makers: Readonly<Record<string, (resource: Resource) => Created>> = {
    'AWS::IoT::Authorizer': authorizers.create,
    'AWS::IoT::DomainConfiguration': domains.create,
    'AWS::IoT::TopicRule': (resource) => {
      const name = rules.add(resource);
      return { ref: name, attributes: { Arn: arns.rule(name) } };
    },
  };

  function authorizerOf(domain: { readonly defaultAuthorizerName: string | undefined } | undefined) {
    const name = domain?.defaultAuthorizerName;
    const found = authorizers.active(name ?? '');
    if (name !== undefined && !found) throw new Error(`There is no active authorizer ${name}`);
    return found;
  }

  const origins = new Map<string, Origin>();
  const webSocketOrigin = (domain: string, found: Parameters<typeof authorizerOf>[0], { serve }: Broker) =>
    createWebSocketOrigin({ domain, authorizer: authorizerOf(found), serve });

  return {
    ...createDataPlane({ broker: () => broker, retained, arns, quotas }),
    types: Object.keys(makers),
    deploymentApi: createDeploymentApi({ ...domains.operations, ...authorizers.operations }, arns, domains.arnOf),
    create(resource) {
      const make = makers[resource.type];
      if (!make) throw new Error(`${resource.type} is not a type of IoT Core`);
      return make(resource);
    },

    get url() {
      return broker?.port === undefined ? undefined : `mqtts://${host}:${broker.port}`;
    },

    originOf(domain) {
      const found = domains.webSocketAt(domain);
      const running = broker;
      if (!found || !running) return undefined;
      const origin = origins.get(domain) ?? webSocketOrigin(domain, found, running);
      origins.set(domain, origin);
      return origin;
    },

    async start() {
      const domain = domains.enabled();
      const authorizer = authorizerOf(domain);
      const onLifecycleEvent = ({ topic, payload }: LifecycleEvent) => {
        if (!faults.losesLifecycleEvent()) rules.route(awsMessage(topic, payload));
      };
      // Connections that a killed process left open: in an account the broker survives and sends their events.
      for (const gone of connectionLog.unclosed) {
        onLifecycleEvent(disconnected(gone, 'CONNECTION_LOST'));
        connectionLog.closed(gone.sessionIdentifier);
      }
      broker = await startBroker({
        listen: domain ? { host, port, ...certificate } : undefined,
        authorizer,
        arns,
        retained,
        connectionLog,
        subscriptionsPerConnection,
        quotas,
        faults,
        meter,
        onMessage: (message) => rules.route(message),
        onLifecycleEvent,
        log,
      });
    },

    async stop() {
      await broker?.stop();
      broker = undefined;
      origins.clear();
      await asyncInvoker.stop();
      retained.close();
      connectionLog.end();
    },
  };
}

function awsMessage(topic: string, payload: object): RuleMessage {
  return { topic, payload: Buffer.from(JSON.stringify(payload)), clientId: undefined };
}
