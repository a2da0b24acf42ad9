import type { Bucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import type { FileUse } from '../../contract/endpoint';
import type { ApiFunction } from '../functions/api-function';
import { privateBucket } from '../private-bucket';

const actions: Readonly<Record<FileUse, string>> = { get: 's3:GetObject', put: 's3:PutObject' };

/** The files of missions, in a private bucket. */
export class MissionFiles extends Construct {
  private readonly bucket: Bucket;

  constructor(scope: Construct, id: string, { removeData }: { readonly removeData: boolean }) {
    super(scope, id);
    this.bucket = privateBucket(this, {
      removeData,
      noAccessLog: 'Only functions of this stack read and write it, and they log each request.',
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
