import { RemovalPolicy, Validations } from 'aws-cdk-lib/core';
import { BlockPublicAccess, Bucket, BucketEncryption } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';

export interface PrivateBucketProps {
  /** Whether the bucket is emptied and deleted with the stack, or retained: a bucket with files can't be deleted. */
  readonly removeData: boolean;
  /** Why it has no access log, for cdk-nag. */
  readonly noAccessLog: string;
  /** Whether what was deleted or overwritten stays for a while. Default: no. */
  readonly versioned?: boolean;
}

/** A bucket that nobody reads without a permission of this stack, as the child `Bucket` of a construct. */
export function privateBucket(
  scope: Construct,
  { removeData, noAccessLog, versioned = false }: PrivateBucketProps,
): Bucket {
  const bucket = new Bucket(scope, 'Bucket', {
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    encryption: BucketEncryption.S3_MANAGED,
    enforceSSL: true,
    ...(versioned && { versioned }),
    autoDeleteObjects: removeData,
    removalPolicy: removeData ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN,
  });
  Validations.of(bucket).acknowledge({ id: 'AwsSolutions-S1', reason: noAccessLog });
  return bucket;
}
