import { Aws, Names, Duration, Fn } from 'aws-cdk-lib/core';
import * as cloudfront from 'aws-cdk-lib/aws-cloudfront';
import { CacheControl, Source, type ISource } from 'aws-cdk-lib/aws-s3-deployment';
import { Construct } from 'constructs';
import { builtSource } from './built-files';
import type { RestApi } from '../rest/rest-api';
import type { SharePage } from '../shares/share-page';
import { docsFiles, docsPages } from './docs-files';
import { DOCS_PATH, docsPathsCode, notFoundPage } from '../rest/docs-paths';
import { publishOutputs } from '../foundation/publish-outputs';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface DocsSiteProps {
  /** Owner of the bucket of public files. */
  readonly sharePage: SharePage;
  readonly distribution: cloudfront.Distribution;
  /** Host of the distribution. */
  readonly hostName: string;
  /** `<name>:<port>` of the channels over MQTTS. */
  readonly mqttHost: string;
  readonly api: RestApi;
}

/** Guides and reference for partners, at `/docs/` of the channels' host; the REST API redirects there. */
export class DocsSite extends Construct {
  constructor(scope: Construct, id: string, { sharePage, distribution, hostName, mqttHost, api }: DocsSiteProps) {
    super(scope, id);
    const assets = sharePage.deploy(this, 'Assets', {
      sources: [builtSource(docsFiles('assets'))],
      prefix: `${DOCS_PATH.slice(1)}/assets`,
      cacheControl: CacheControl.fromString('public, max-age=31536000, immutable'),
    });
    const deployed = sharePage.deploy(this, 'Pages', {
      sources: [builtSource(docsFiles('pages')), openApiFor(api.baseUrl), asyncApiFor(mqttHost)],
      prefix: DOCS_PATH.slice(1),
      // Compared with the stored one at each visit, since it changes under the same name.
      cacheControl: CacheControl.fromString('no-cache'),
    });
    deployed.node.addDependency(assets);

    distribution.addBehavior(`${DOCS_PATH}*`, sharePage.origin, {
      viewerProtocolPolicy: cloudfront.ViewerProtocolPolicy.REDIRECT_TO_HTTPS,
      cachePolicy: cloudfront.CachePolicy.CACHING_OPTIMIZED,
      responseHeadersPolicy: new cloudfront.ResponseHeadersPolicy(this, 'Headers', {
        ...docsHeaders(api.apiUrl),
        responseHeadersPolicyName: `${Names.uniqueResourceName(this, { maxLength: 40, separator: '-' })}-${Aws.REGION}`,
      }),
      functionAssociations: [
        {
          function: new cloudfront.Function(this, 'Paths', {
            comment: 'Path of a page to its file',
            runtime: cloudfront.FunctionRuntime.JS_2_0,
            code: cloudfront.FunctionCode.fromInline(docsPathsCode(docsPages(), notFoundPage)),
          }),
          eventType: cloudfront.FunctionEventType.VIEWER_REQUEST,
        },
      ],
    });
    const url = `https://${hostName}${DOCS_PATH}/`;
    api.redirectToDocs(url);
    publishOutputs(this, { DocsUrl: url });
  }
}

/**
 * Security headers of the docs site. It runs only its own scripts, loads nothing from other hosts, and calls only the REST API,
 * to try endpoints. Renderers of code and schemas set styles on elements, so inline styles are allowed.
 * @param apiUrl of the REST API
 */
function docsHeaders(apiUrl: string): cloudfront.ResponseHeadersPolicyProps {
  const contentSecurityPolicy = [
    `default-src 'none'`,
    `script-src 'self'`,
    `style-src 'self' 'unsafe-inline'`,
    `img-src 'self' data:`,
    `font-src 'self'`,
    // With a slash, all paths below it.
    `connect-src 'self' ${apiUrl}/`,
    `frame-ancestors 'none'`,
    `base-uri 'none'`,
    `form-action 'none'`,
  ].join('; ');
  const custom = {
    'Permissions-Policy': ['camera', 'geolocation', 'microphone', 'payment', 'usb']
      .map((name) => `${name}=()`)
      .join(', '),
    'Cross-Origin-Opener-Policy': 'same-origin',
  };
  return {
    comment: 'Docs site',
    securityHeadersBehavior: {
      contentSecurityPolicy: { contentSecurityPolicy, override: true },
      contentTypeOptions: { override: true },
      frameOptions: { frameOption: cloudfront.HeadersFrameOption.DENY, override: true },
      referrerPolicy: { referrerPolicy: cloudfront.HeadersReferrerPolicy.SAME_ORIGIN, override: true },
      strictTransportSecurity: { accessControlMaxAge: Duration.days(365), includeSubdomains: true, override: true },
    },
    customHeadersBehavior: {
      customHeaders: Object.entries(custom).map(([header, value]) => ({ header, value, override: true })),
    },
  };
}

/** Folder of the published documents. */
const folder = join(__dirname, '../../docs/api');
const OPENAPI = 'openapi.json';
const ASYNCAPI = 'asyncapi.json';

/**
 * The OpenAPI document with the address of this deployment as its only server, so that generators and the reference use it.
 * @param baseUrl of the REST API, which may be known at deployment only
 */
function openApiFor(baseUrl: string): ISource {
  const published = JSON.parse(readFileSync(join(folder, OPENAPI), 'utf8')) as Record<string, unknown>;
  // As one value: it is replaced in the file as a whole.
  const url = Fn.sub('${BaseUrl}', { BaseUrl: baseUrl });
  return Source.jsonData(OPENAPI, { ...published, servers: [{ url, description: 'This deployment' }] });
}

/**
 * The AsyncAPI document with the address of this deployment for MQTT, on AWS and on one machine. The page of the channels knows
 * that of the sockets, which is its own.
 * @param mqttHost `<name>:<port>`, which may be known at deployment only
 */
function asyncApiFor(mqttHost: string): ISource {
  const published = JSON.parse(readFileSync(join(folder, ASYNCAPI), 'utf8')) as {
    servers: Record<string, { variables?: unknown }>;
  };
  const host = Fn.sub('${MqttHost}', { MqttHost: mqttHost });
  const servers = ['mqtt', 'localMqtt'].map((name) => {
    const { variables: _none, ...server } = published.servers[name] ?? {};
    return [name, { ...server, host }];
  });
  return Source.jsonData(ASYNCAPI, {
    ...published,
    servers: { ...published.servers, ...(Object.fromEntries(servers) as object) },
  });
}
