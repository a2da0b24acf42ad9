import { Aws, Names } from 'aws-cdk-lib/core';
import * as cloudfront from 'aws-cdk-lib/aws-cloudfront';
import { CacheControl } from 'aws-cdk-lib/aws-s3-deployment';
import { Construct } from 'constructs';
import { builtSource } from './built-files';
import type { RestApi } from '../rest/rest-api';
import type { SharePage } from '../shares/share-page';
import { docsFiles, docsPages } from './docs-files';
import { docsHeaders } from './docs-headers';
import { DOCS_PATH, docsPathsCode, notFoundPage } from '../rest/docs-paths';
import { asyncApiFor, openApiFor } from './served-documents';
import { publishOutputs } from '../functions/publish-outputs';

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
