import { FileAssetPackaging, Stack, Stage, type CfnResource } from 'aws-cdk-lib/core';
import { Code, type CodeConfig } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { lateBundle } from './late-bundles';
import { hashOfSources } from '../foundation/source-hash';

/** Folder of an app's function bundles: `<folder>/<entry>/index.js`. */
export const bundlesFolder = (scope: Construct): string => join(Stage.of(scope)?.assetOutdir ?? '', 'functions');

/**
 * Code of a function: its bundle. Where the CDK does not bundle (context `aws:cdk:bundling-stacks`), the assembly lacks
 * it, and it is named by its sources.
 * @param entry file below `lambdas/` without `.lambda.ts`; of the simulator, below `packages/` without `.ts`
 */
export const functionCode = (scope: Construct, entry: string): Code =>
  Stack.of(scope).bundlingRequired ? Code.fromAsset(join(bundlesFolder(scope), entry)) : new LateCode(entry);

/** Read once: an app is of one state of its sources. */
let sources: string | undefined;

/** Code whose files are not there yet. */
class LateCode extends Code {
  readonly #folder: string;

  constructor(entry: string) {
    super();
    this.#folder = lateBundle((sources ??= hashOfSources()), entry);
  }

  override bind(scope: Construct): CodeConfig {
    const { bucketName, objectKey } = Stack.of(scope).synthesizer.addFileAsset({
      sourceHash: createHash('sha256').update(this.#folder).digest('hex'),
      fileName: this.#folder,
      packaging: FileAssetPackaging.ZIP_DIRECTORY,
      displayName: scope.node.path,
    });
    return { s3Location: { bucketName, objectKey } };
  }

  /** As the CDK does for an asset: it tells a local stack where the code is. */
  override bindToResource({ cfnOptions }: CfnResource): void {
    cfnOptions.metadata = { ...cfnOptions.metadata, 'aws:asset:path': this.#folder };
  }
}
