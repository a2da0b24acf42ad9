import { App, Stack } from 'aws-cdk-lib/core';
import * as cloudfront from 'aws-cdk-lib/aws-cloudfront';
import { HttpOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import cdkJson from '../../cdk.json';
import { SharePage } from '../../lib/shares/share-page';
import { createCloudFront, type Origin } from 'cloud-assembly-runner/cloudfront';
import { deploy } from 'cloud-assembly-runner/cloudformation/deploy';
import { createIam } from 'cloud-assembly-runner/iam';
import { createS3 } from 'cloud-assembly-runner/s3';
import { withoutBucketDeployer } from 'cloud-assembly-runner/s3/without-bucket-deployer';
import { readAssembly } from 'cloud-assembly-runner/cloudformation/template';

export interface ServedPage {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  stop(): Promise<void>;
}

export interface ServedPageOptions {
  /** Answers everything but the page. */
  readonly socket: Origin;
  readonly context?: Readonly<Record<string, unknown>>;
}

const SOCKET = 'socket.example.com';

/** Synthesises the share page and serves it as the local stack does: bucket, headers, paths and compression. */
export async function servePage({ socket, context = {} }: ServedPageOptions): Promise<ServedPage> {
  const folder = mkdtempSync(join(tmpdir(), 'share-page-'));
  const app = new App({
    builtinCloudFormationValidation: false,
    context: { ...cdkJson.context, ...context },
    outdir: folder,
  });
  const stack = new Stack(app, 'Page');
  const distribution = new cloudfront.Distribution(stack, 'Distribution', {
    defaultBehavior: {
      origin: new HttpOrigin(SOCKET),
      cachePolicy: cloudfront.CachePolicy.CACHING_DISABLED,
      originRequestPolicy: cloudfront.OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
    },
  });
  new SharePage(stack, 'SharePage', { removeData: false }).addTo(distribution, `https://${distribution.domainName}`);
  app.synth();

  const s3 = createS3({ region: 'eu-central-1', assemblyFolder: folder, dataFolder: folder });
  const cloudFront = createCloudFront({
    accountId: '000000000000',
    portOf: () => 0,
    originOf: (domain) => (domain === SOCKET ? socket : s3.originOf(domain)),
    log: (line) => process.stderr.write(`${line}\n`),
  });
  const noLambda = { types: ['AWS::Lambda::Function'], create: () => ({ ref: 'none' }) };
  const services = [createIam(), s3, withoutBucketDeployer(noLambda), cloudFront];
  const outputs = await deploy(readAssembly(folder), services, {
    baseUrl: '',
    identityUrl: '',
    endpointUrl: '',
    mqttUrl: '',
    videoUrl: '',
    isWebSocketApi: () => false,
    distributionAt: (domain) => cloudFront.addressOf(domain),
  });
  await cloudFront.start?.();
  return {
    url: outputs['ShareBaseUrl'] ?? '',
    async stop() {
      await cloudFront.stop?.();
      rmSync(folder, { recursive: true });
    },
  };
}
