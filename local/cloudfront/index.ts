/**
 * Amazon CloudFront on this machine: each distribution of the template is an HTTP server that runs viewer functions as
 * the JavaScript they are and hands requests, WebSocket handshakes among them, to origins in the same process. Nothing
 * is cached. Each part names the AWS page that it follows.
 */
import { freePort } from '../free-port';
import { physicalId } from '../physical-id';
import type { Created, Resource, Service } from '../service';
import { createDistribution } from './distribution';
import { distributionParts, distributionProperties, type DistributionParts } from './distribution-parts';
import { cachePolicyProperties, originRequestPolicyProperties, type Forwarded } from './forwarding';
import type { Origin } from './origin';
import { compileResponseHeaders, responseHeadersPolicyProperties, type ResponseHeaders } from './response-headers';
import { startServer, type DistributionServer } from './server';
import { compileViewerFunction, functionProperties, type ViewerFunction } from './viewer-function';

export type { Origin, OriginRequest, Reply } from './origin';

export interface CloudFrontOptions {
  readonly accountId: string;
  /** The port of a distribution, by its logical id; 0 takes a free one. */
  portOf(logicalId: string): number;
  /** Default: this machine only. */
  readonly host?: string;
  /** What stands behind the domain of an origin; asked for at every request. */
  originOf(domain: string): Origin | undefined;
  /** Takes what functions print and why a request failed here. */
  log(line: string): void;
}

export interface CloudFront extends Service {
  /**
   * Where the distribution of this domain (`d….cloudfront.net`) is served on this machine, `<host>:<port>`, without TLS;
   * undefined for another domain. Known as soon as the distribution is created.
   */
  addressOf(domainName: string): string | undefined;
}

/** CloudFront for the distributions of a template. */
export function createCloudFront(options: CloudFrontOptions): CloudFront {
  const host = options.host ?? '127.0.0.1';
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
      functions.set(
        arn,
        compileViewerFunction(declared, (line) => options.log(line)),
      );
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
      if (!make) throw new Error(`${resource.type} is not a part of CloudFront`);
      return make(resource, physicalId(resource.logicalId, 36));
    },

    addressOf(domainName) {
      const found = distributions.find(({ parts }) => parts.domainName === domainName);
      return found && `${host.includes(':') ? `[${host}]` : host}:${found.port}`;
    },

    async start() {
      for (const { parts, port } of distributions) {
        servers.push(await startServer(createDistribution(parts, options), host, port));
      }
    },

    async stop() {
      await Promise.all(servers.splice(0).map((server) => server.stop()));
    },
  };
}

function withId(id: string): Created {
  return { ref: id, attributes: { Id: id } };
}
