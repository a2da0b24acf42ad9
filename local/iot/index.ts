/**
 * AWS IoT Core on this machine: an MQTT 3.1.1 broker behind TLS with a custom authorizer, topic rules and the data API.
 * Each part names the AWS page that it follows. Not played: MQTT 5, WebSocket, shared subscriptions, certificates of
 * clients, things, shadows, and all reserved topics but lifecycle events, which only rules get.
 */
import { join } from 'node:path';
import * as z from 'zod';
import type { DeploymentApi } from '../aws-custom-resource';
import type { Lambda } from '../lambda';
import { propertiesOf } from '../properties';
import { noQuotas, type Quotas } from '../quotas';
import type { AwsApi, Created, Resource, Service } from '../service';
import { createArns } from './arns';
import { createAuthorizer, type Authorizer } from './authorizer';
import { startBroker, type Broker } from './broker';
import { createDataPlane } from './data-plane';
import { createDomainConfigurations } from './domain-configurations';
import { createLaterCalls } from '../lambda/later-calls';
import { openLeftOpen } from '../left-open';
import { disconnected, subject, type LifecycleEvent } from './lifecycle';
import { openRetainedMessages } from './retained';
import type { RuleMessage } from './rule-sql';
import { createRules } from './rules';

export interface IotOptions {
  readonly region: string;
  readonly accountId: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Default: this machine only. */
  readonly host?: string;
  /** Private key and certificate of the TLS server, PEM. */
  readonly certificate: { readonly key: string; readonly cert: string };
  /** Where retained messages are kept, and who is connected; without it both end with the process. */
  readonly dataFolder?: string;
  readonly lambda: Pick<Lambda, 'invoke' | 'permits'>;
  /** Default 50, which AWS raises on request. */
  readonly subscriptionsPerConnection?: number;
  /** Default: none. */
  readonly quotas?: Quotas;
  /** Waits before the second and the third attempt of a rule's function; default: those of AWS. */
  readonly retryDelaysMs?: readonly number[];
  /** Takes a line for each refusal and for each rule that could not run; no line holds a topic or a password. */
  log(line: string): void;
}

export interface Iot extends Service, AwsApi {
  /** What is called at deployment. */
  readonly deploymentApi: DeploymentApi;
  /** `mqtts://127.0.0.1:<port>`; known after `start`, undefined without a domain configuration. */
  readonly url: string | undefined;
}

/** Last calls of functions may take so long when the service stops. */
const FAREWELL_MS = 2000;

const authorizerProperties = z.object({
  AuthorizerName: z.string().optional(),
  AuthorizerFunctionArn: z.string(),
  SigningDisabled: z.literal(true),
  Status: z.enum(['ACTIVE', 'INACTIVE']).default('INACTIVE'),
});

/** IoT Core for the authorizers, the domain configurations and the topic rules of a template; one of them is served. */
export function createIot(options: IotOptions): Iot {
  const { lambda, host = '127.0.0.1', port, certificate, subscriptionsPerConnection = 50, quotas = noQuotas } = options;
  const log = (line: string) => options.log(`iot ${line}`);
  const arns = createArns(options);
  const calls = createLaterCalls(lambda, log, options.retryDelaysMs);
  const rules = createRules({ lambda, calls, arnOf: arns.rule, log });
  const retained = openRetainedMessages(options.dataFolder);
  const noted = openLeftOpen(options.dataFolder && join(options.dataFolder, 'mqtt-connections.jsonl'), subject);
  const authorizers = new Map<string, Authorizer>();
  const domains = createDomainConfigurations(arns, options.region);
  let broker: Broker | undefined;

  const makers: Readonly<Record<string, (resource: Resource) => Created>> = {
    'AWS::IoT::Authorizer': (resource) => {
      const properties = propertiesOf(resource, authorizerProperties);
      const name = properties.AuthorizerName ?? resource.logicalId;
      const arn = arns.authorizer(name);
      const functionArn = properties.AuthorizerFunctionArn;
      if (properties.Status === 'ACTIVE') authorizers.set(name, createAuthorizer({ arn, functionArn, lambda, log }));
      return { ref: name, attributes: { Arn: arn } };
    },
    'AWS::IoT::DomainConfiguration': domains.create,
    'AWS::IoT::TopicRule': (resource) => {
      const name = rules.add(resource);
      return { ref: name, attributes: { Arn: arns.rule(name) } };
    },
  };

  return {
    ...createDataPlane({ broker: () => broker, retained, arns, quotas }),
    types: Object.keys(makers),
    deploymentApi: domains.api,
    create(resource) {
      const make = makers[resource.type];
      if (!make) throw new Error(`${resource.type} is not played here`);
      return make(resource);
    },

    get url() {
      return broker?.port === undefined ? undefined : `mqtts://${host}:${broker.port}`;
    },

    async start() {
      const domain = domains.enabled();
      const authorizerName = domain?.defaultAuthorizerName;
      const authorizer = authorizers.get(authorizerName ?? '');
      if (authorizerName !== undefined && !authorizer)
        throw new Error(`There is no active authorizer ${authorizerName}`);
      const onLifecycleEvent = ({ topic, payload }: LifecycleEvent) => rules.route(fromAws(topic, payload));
      // In an account nothing kills the broker together with what its rules call.
      for (const gone of noted.left) {
        onLifecycleEvent(disconnected(gone, 'CONNECTION_LOST'));
        noted.closed(gone.sessionIdentifier);
      }
      broker = await startBroker({
        listen: domain ? { host, port, ...certificate } : undefined,
        authorizer,
        arns,
        retained,
        noted,
        subscriptionsPerConnection,
        quotas,
        onMessage: (message) => rules.route(message),
        onLifecycleEvent,
        log,
      });
    },

    async stop() {
      await broker?.stop();
      broker = undefined;
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, FAREWELL_MS)));
      await Promise.race([calls.end(), late]);
      clearTimeout(timer);
      retained.close();
      noted.end();
    },
  };
}

function fromAws(topic: string, payload: object): RuleMessage {
  return { topic, payload: Buffer.from(JSON.stringify(payload)), clientId: undefined };
}
