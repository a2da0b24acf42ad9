import { App, Stack } from 'aws-cdk-lib/core';
import * as cloudfront from 'aws-cdk-lib/aws-cloudfront';
import { HttpOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import cdkJson from '../../cdk.json';
import { SharePage } from '../../lib/share-page';
import { createCloudFront, type Origin } from '../../local/cloudfront';
import { deploy } from '../../local/deploy';
import { createIam } from '../../local/iam';
import { createS3 } from '../../local/s3';
import { withoutBucketDeployer } from '../../local/s3/without-bucket-deployer';
import { readAssembly } from '../../local/template';

export interface ServedPage {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  stop(): Promise<void>;
}

export interface ServedPageOptions {
  /** What answers everything but the page. */
  readonly socket: Origin;
  readonly context?: Readonly<Record<string, unknown>>;
  /** Where streams come from, in place of Kinesis Video Streams. */
  readonly videoHost?: string;
}

/** Synthesises the share page and serves it as the local stack does: bucket, headers, paths and compression. */
export async function servePage({ socket, context = {}, videoHost }: ServedPageOptions): Promise<ServedPage> {
  const folder = mkdtempSync(join(tmpdir(), 'share-page-'));
  const app = new App({ context: { ...cdkJson.context, ...context }, outdir: folder });
  const stack = new Stack(app, 'Page');
  const distribution = new cloudfront.Distribution(stack, 'Distribution', {
    defaultBehavior: {
      origin: new HttpOrigin('socket.example.com'),
      cachePolicy: cloudfront.CachePolicy.CACHING_DISABLED,
      originRequestPolicy: cloudfront.OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
    },
  });
  new SharePage(stack, 'SharePage').addTo(distribution);
  app.synth();

  const assembly = readAssembly(folder);
  const s3 = createS3({ region: 'eu-central-1', assemblyFolder: folder });
  let domainName = '';
  const cloudFront = createCloudFront({
    accountId: '000000000000',
    portOf: () => 0,
    originOf: (domain) => (domain === 'socket.example.com' ? socket : s3.originOf(domain)),
    log: (line) => process.stderr.write(`${line}\n`),
  });
  const noLambda = { types: ['AWS::Lambda::Function'], create: () => ({ ref: 'none' }) };
  const watched = {
    ...cloudFront,
    create: async (resource: Parameters<typeof cloudFront.create>[0]) => {
      const properties = videoHost
        ? (JSON.parse(
            JSON.stringify(resource.properties).replaceAll(
              /https:\/\/\*\.kinesisvideo\.[a-z0-9-]+\.amazonaws\.com/g,
              videoHost,
            ),
          ) as Record<string, unknown>)
        : resource.properties;
      const created = await cloudFront.create({ ...resource, properties });
      domainName = created.attributes?.['DomainName'] ?? domainName;
      return created;
    },
  };
  await deploy(assembly, [createIam(), s3, withoutBucketDeployer(noLambda), watched], {
    ...{ baseUrl: '', identityUrl: '', endpointUrl: '' },
    isWebSocketApi: () => false,
    distributionAt: (domain) => cloudFront.addressOf(domain),
  });
  await cloudFront.start?.();
  return {
    url: `http://${cloudFront.addressOf(domainName)}`,
    async stop() {
      await cloudFront.stop?.();
      rmSync(folder, { recursive: true });
    },
  };
}
