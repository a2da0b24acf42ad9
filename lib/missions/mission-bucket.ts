import { Duration } from 'aws-cdk-lib/core';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import type { FileUse } from '../../contract/terms/endpoint';
import type { ApiFunction } from '../functions/api-function';
import { privateBucket } from '../foundation/private-bucket';

const actions: Readonly<Record<FileUse, string>> = {
  get: 's3:GetObject',
  put: 's3:PutObject',
  delete: 's3:DeleteObject',
};

/**
 * How long a deleted file can be restored, in days: longer than DynamoDB may take to remove the line, 90 days and two
 * for TTL.
 */
const RESTORABLE_DAYS = 95;

/** The files of missions, in a private bucket that keeps what was deleted for a while. */
export class MissionFiles extends Construct {
  private readonly bucket: Bucket;

  constructor(scope: Construct, id: string, { removeData }: { readonly removeData: boolean }) {
    super(scope, id);
    this.bucket = privateBucket(this, {
      removeData,
      noAccessLog: 'Only functions of this stack read and write it, and they log each request.',
      versioned: true,
    });
    this.bucket.addLifecycleRule({
      noncurrentVersionExpiration: Duration.days(RESTORABLE_DAYS),
      expiredObjectDeleteMarker: true,
    });
  }

  /** Lets a function use the files, and sets the bucket in its environment. */
  grant(fn: ApiFunction, uses: readonly FileUse[]): void {
    fn.lambda.addEnvironment('MISSION_FILES_BUCKET', this.bucket.bucketName);
    fn.allow(
      uses.map((use) => actions[use]),
      [this.bucket.arnForObjects('*')],
      'The keys of files have the ids of missions.',
    );
  }
}
