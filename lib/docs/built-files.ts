import { FileAssetPackaging, Stack, Stage } from 'aws-cdk-lib/core';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import type { ISource } from 'aws-cdk-lib/aws-s3-deployment';
import type { Construct } from 'constructs';
import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { addBuilt, assetFolder } from './asset-folder';

/** Files that are built from sources and named by a hash of these, so that the template is known before they are built. */
export interface BuiltFiles {
  readonly hash: string;
  /** Builds them, and returns their folder. */
  readonly build: () => string;
}

/**
 * Files to deploy. Where the CDK does not bundle (context `aws:cdk:bundling-stacks`), the template is the same, and the assembly
 * lacks them.
 */
export function builtSource({ hash, build }: BuiltFiles): ISource {
  return {
    bind(scope: Construct, context) {
      const assembly = Stage.of(scope)?.assetOutdir ?? '';
      const stack = Stack.of(scope);
      if (stack.bundlingRequired && !existsSync(assetFolder(assembly, hash))) addBuilt(assembly, hash, build());
      const { bucketName, objectKey: zipObjectKey } = stack.synthesizer.addFileAsset({
        sourceHash: hash,
        fileName: basename(assetFolder(assembly, hash)),
        packaging: FileAssetPackaging.ZIP_DIRECTORY,
        displayName: scope.node.path,
      });
      const bucket = Bucket.fromBucketName(scope, `Files-${hash}`, bucketName);
      if (context) bucket.grantRead(context.handlerRole);
      return { bucket, zipObjectKey };
    },
  };
}
