/**
 * Amazon S3 on this machine, as far as a deployment fills buckets and CloudFront reads them: Amazon S3 user guide,
 * "GetObject", and the CDK's aws-s3-deployment. Objects are the files of the synthesised app, not copies of them.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import type { Origin } from '../cloudfront';
import { physicalId } from '../physical-id';
import { propertiesOf } from '../properties';
import type { Created, Resource, Service } from '../service';
import { bucketOrigin } from './bucket-origin';
import { bucketPolicyProperties, type BucketPolicy } from './bucket-policy';
import { filesBelow, type Objects } from './objects';

export interface S3Options {
  readonly region: string;
  /** The synthesised app (`cdk.out`), in which assets are. */
  readonly assemblyFolder: string;
}

export interface S3 extends Service {
  /** The bucket with this regional domain name, as CloudFront reads it; undefined for another domain. */
  originOf(domain: string): Origin | undefined;
}

const bucketProperties = z.object({ BucketName: z.string().optional() });

/** What the CDK's BucketDeployment asks of its function. */
const deploymentProperties = z.object({
  SourceObjectKeys: z.array(z.string()),
  SourceMarkers: z.array(z.record(z.string(), z.never())).optional(),
  DestinationBucketName: z.string(),
  DestinationBucketKeyPrefix: z.string().default(''),
  SystemMetadata: z.record(z.string(), z.string()).default({}),
  DistributionId: z.undefined({ error: 'nothing is cached on this machine, so nothing can be invalidated' }).optional(),
  Exclude: z.undefined({ error: 'filters are not played on this machine' }).optional(),
  Include: z.undefined({ error: 'filters are not played on this machine' }).optional(),
});

interface Bucket {
  readonly objects: Objects;
  policy: BucketPolicy | undefined;
}

/** S3 for the buckets of one template. */
export function createS3({ region, assemblyFolder }: S3Options): S3 {
  const buckets = new Map<string, Bucket>();
  const domainOf = (name: string) => `${name}.s3.${region}.amazonaws.com`;
  const bucketNamed = (name: string, asker: string): Bucket => {
    const bucket = buckets.get(name);
    if (!bucket) throw new Error(`${asker} is for bucket ${name}, which does not exist`);
    return bucket;
  };

  const makers: Readonly<Record<string, (resource: Resource) => Created>> = {
    'AWS::S3::Bucket': (resource) => {
      const { BucketName } = propertiesOf(resource, bucketProperties);
      const name =
        BucketName ?? `${resource.logicalId.toLowerCase().slice(0, 40)}-${physicalId(resource.logicalId, 12)}`;
      buckets.set(name, { objects: new Map(), policy: undefined });
      const attributes = {
        Arn: arnOf(name),
        DomainName: `${name}.s3.amazonaws.com`,
        RegionalDomainName: domainOf(name),
      };
      return { ref: name, attributes };
    },

    'AWS::S3::BucketPolicy': (resource) => {
      const { Bucket, PolicyDocument } = propertiesOf(resource, bucketPolicyProperties);
      bucketNamed(Bucket, resource.logicalId).policy = PolicyDocument;
      return { ref: Bucket };
    },

    'Custom::CDKBucketDeployment': (resource) => {
      const declared = propertiesOf(resource, deploymentProperties);
      const { objects } = bucketNamed(declared.DestinationBucketName, resource.logicalId);
      for (const key of declared.SourceObjectKeys) {
        // Uploaded as `<hash>.zip`, the files of a folder are in `asset.<hash>` before that.
        const folder = join(assemblyFolder, `asset.${key.replace(/\.zip$/, '')}`);
        if (!existsSync(folder)) throw new Error(`${resource.logicalId}: the synthesised app has no ${folder}`);
        for (const [path, file] of filesBelow(folder)) {
          const prefix = declared.DestinationBucketKeyPrefix.replace(/\/*$/, '/').replace(/^\//, '');
          objects.set(prefix + path, { file, headers: declared.SystemMetadata });
        }
      }
      return { ref: resource.logicalId };
    },

    // The CDK's way to empty a bucket before it is deleted, which on this machine happens to none.
    'Custom::S3AutoDeleteObjects': ({ logicalId }) => ({ ref: logicalId }),
  };

  return {
    types: Object.keys(makers),
    create(resource) {
      const make = makers[resource.type];
      if (!make) throw new Error(`${resource.type} is not a part of S3`);
      return make(resource);
    },

    originOf(domain) {
      const [name, bucket] = [...buckets].find(([one]) => domainOf(one) === domain) ?? [];
      return name === undefined || !bucket ? undefined : bucketOrigin(bucket.objects, (key) => readable(name, key));
    },
  };

  function readable(name: string, key: string): boolean {
    return buckets.get(name)?.policy?.letsCloudFrontRead(`${arnOf(name)}/${key}`) ?? false;
  }
}

function arnOf(bucket: string): string {
  return `arn:aws:s3:::${bucket}`;
}
