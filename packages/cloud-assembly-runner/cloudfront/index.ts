/**
 * Amazon CloudFront: each distribution of the template is an HTTP server that runs viewer-request functions and passes
 * requests and WebSocket handshakes to origins in the same process. Nothing is cached. Each module names the AWS page
 * that it follows.
 */
import { CLIENTS, noMeter, type Meter } from '../billing/meter';
import { freePort } from '../free-port';
import { physicalId } from '../cloudformation/physical-id';
import type { Created, Resource, Service } from '../service';
import { createDistribution, startServer, type Distribution, type DistributionServer } from './distribution';
import { distributionParts, distributionProperties, type DistributionParts } from './distribution-config';
import { cachePolicyProperties, originRequestPolicyProperties, type Forwarded } from './forwarding';
import type { Origin } from './origin';
import { compileResponseHeaders, responseHeadersPolicyProperties, type ResponseHeaders } from './response-headers';
import { compileViewerFunction, functionProperties, type ViewerFunction } from './functions/viewer-function';

export type { Origin, OriginRequest, Reply } from './origin';

export interface CloudFrontOptions {
  readonly accountId: string;
  /** Port of a distribution by logical id; 0 takes any free port. */
  portOf(logicalId: string): number;
  /** Default: 127.0.0.1. */
  readonly host?: string;
  /** Origin by domain; called at every request. */
  originOf(domain: string): Origin | undefined;
  /** Default: none. */
  readonly meter?: Meter;
  /** Elapsed time after which a function is ended. Default: 10 s. */
  readonly functionLimitMs?: number;
  /** Writes a line: output of functions, and causes of failed requests. */
  log(line: string): void;
}

export interface CloudFront extends Service {
  /**
   * Local address `<host>:<port>` (without TLS) of the distribution with this domain (`d….cloudfront.net`); undefined
   * for another domain. Known as soon as the distribution is created.
   */
  addressOf(domainName: string): string | undefined;
}

export function createCloudFront(options: CloudFrontOptions): CloudFront {
  const { host = '127.0.0.1', meter = noMeter } = options;
  const policies = new Map<string, Forwarded>();
  const responseHeaders = new Map<string, ResponseHeaders>();
  const functions = new Map<string, ViewerFunction>();
  const distributions: { readonly parts: DistributionParts; readonly port: number }[] = [];
  const servers: DistributionServer[] = [];

  const makers: Readonly<Record<string, (resource: Resource, id: string) => Created | Promise<Created>>> = {
    'AWS::CloudFront::CachePolicy': ({ properties }, id) => {
      const { CachePolicyConfig } = cachePolicyProperties.parse(properties);
      policies.set(id, CachePolicyConfig.ParametersInCacheKeyAndForwardedToOrigin);
      return withId(id);
    },
    'AWS::CloudFront::OriginRequestPolicy': ({ properties }, id) => {
      policies.set(id, originRequestPolicyProperties.parse(properties).OriginRequestPolicyConfig);
      return withId(id);
    },
    'AWS::CloudFront::ResponseHeadersPolicy': ({ properties }, id) => {
      const { ResponseHeadersPolicyConfig } = responseHeadersPolicyProperties.parse(properties);
      responseHeaders.set(id, compileResponseHeaders(ResponseHeadersPolicyConfig));
      return withId(id);
    },
    'AWS::CloudFront::OriginAccessControl': (_resource, id) => withId(id),
    'AWS::CloudFront::Function': ({ properties }) => {
      const declared = functionProperties.parse(properties);
      const arn = `arn:aws:cloudfront::${options.accountId}:function/${declared.Name}`;
      const run = compileViewerFunction(declared, (line) => options.log(line), options.functionLimitMs);
      functions.set(arn, (event) => {
        meter.charge(CLIENTS, { 'cloudfront:functions': 1 });
        return run(event);
      });
      return { ref: arn, attributes: { FunctionARN: arn, 'FunctionMetadata.FunctionARN': arn, Stage: 'LIVE' } };
    },
    'AWS::CloudFront::Distribution': async ({ logicalId, properties }) => {
      const id = `E${physicalId(logicalId, 13).toUpperCase()}`;
      const domainName = `d${physicalId(`${logicalId}.domain`, 13)}.cloudfront.net`;
      const declared = distributionProperties.parse(properties);
      const parts = distributionParts({ id, domainName }, declared, { policies, responseHeaders, functions });
      distributions.push({ parts, port: options.portOf(logicalId) || (await freePort()) });
      return { ref: id, attributes: { Id: id, DomainName: domainName } };
    },
  };

  return {
    types: Object.keys(makers),
    create(resource) {
      const make = makers[resource.type];
      if (!make) throw new Error(`${resource.type} is not a CloudFront resource`);
      return make(resource, physicalId(resource.logicalId, 36));
    },

    addressOf(domainName) {
      const found = distributions.find(({ parts }) => parts.domainName === domainName);
      return found && `${host.includes(':') ? `[${host}]` : host}:${found.port}`;
    },

    async start() {
      for (const { parts, port } of distributions) {
        const distribution = createDistribution(parts, options);
        servers.push(await startServer(metered(distribution, meter), host, port));
      }
    },

    async stop() {
      await Promise.all(servers.splice(0).map((server) => server.stop()));
    },
  };
}

function metered(distribution: Distribution, meter: Meter): Distribution {
  return async (viewer, upgraded) => {
    const reply = await distribution(viewer, upgraded);
    meter.charge(CLIENTS, { 'cloudfront:requests': 1, 'cloudfront:bytesOut': Buffer.byteLength(reply?.body ?? '') });
    return reply;
  };
}

function withId(id: string): Created {
  return { ref: id, attributes: { Id: id } };
}
