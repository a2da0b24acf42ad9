/**
 * Amazon S3, as far as the CDK's aws-s3-deployment fills buckets and CloudFront reads them (Amazon S3 user guide,
 * "GetObject"). Objects are the files of the cloud assembly, not copies of them; markers in them are replaced when they are read.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import type { Origin } from '../cloudfront';
import { physicalId } from '../cloudformation/physical-id';
import { propertiesOf } from '../cloudformation/properties';
import type { Created, Resource, Service } from '../service';
import { bucketOrigin } from './bucket-origin';
import { bucketPolicyProperties, type BucketPolicy } from './bucket-policy';
import { markersConfig, replaceMarkers } from './markers';
import { filesBelow, type Objects } from './objects';

export interface S3Options {
  readonly region: string;
  /** Cloud assembly (`cdk.out`) with the assets. */
  readonly assemblyFolder: string;
}

export interface S3 extends Service {
  /** The bucket with this regional domain name as a CloudFront origin; undefined for another domain. */
  originOf(domain: string): Origin | undefined;
}

const bucketProperties = z.object({ BucketName: z.string().optional() });

/** Properties that the CDK's BucketDeployment passes to its custom resource. */
const deploymentProperties = z.object({
  SourceObjectKeys: z.array(z.string()),
  SourceMarkers: z.array(z.record(z.string(), z.string())).default([]),
  SourceMarkersConfig: z.array(markersConfig).default([]),
  DestinationBucketName: z.string(),
  DestinationBucketKeyPrefix: z.string().default(''),
  SystemMetadata: z.record(z.string(), z.string()).default({}),
  DistributionId: z.undefined({ error: 'no cache on this machine to be invalidated' }).optional(),
  Exclude: z.undefined({ error: 'filters are not supported on this machine' }).optional(),
  Include: z.undefined({ error: 'filters are not supported on this machine' }).optional(),
});

interface Bucket {
  readonly objects: Objects;
  policy: BucketPolicy | undefined;
}

export function createS3({ region, assemblyFolder }: S3Options): S3 {
  const buckets = new Map<string, Bucket>();
  const domainOf = (name: string) => `${name}.s3.${region}.amazonaws.com`;
  const bucketNamed = (name: string, referrer: string): Bucket => {
    const bucket = buckets.get(name);
    if (!bucket) throw new Error(`${referrer} refers to bucket ${name}, which does not exist`);
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
      for (const [index, key] of declared.SourceObjectKeys.entries()) {
        const replace = replaceMarkers(declared.SourceMarkers[index], declared.SourceMarkersConfig[index]);
        // The CDK uploads a folder as `<hash>.zip`; before that its files are in `asset.<hash>`.
        const folder = join(assemblyFolder, `asset.${key.replace(/\.zip$/, '')}`);
        if (!existsSync(folder)) throw new Error(`${resource.logicalId}: the cloud assembly has no ${folder}`);
        for (const [path, file] of filesBelow(folder)) {
          const prefix = declared.DestinationBucketKeyPrefix.replace(/\/*$/, '/').replace(/^\//, '');
          objects.set(prefix + path, { file, headers: declared.SystemMetadata, ...(replace && { replace }) });
        }
      }
      return { ref: resource.logicalId };
    },

    // Empties a bucket before its deletion; no bucket is deleted here.
    'Custom::S3AutoDeleteObjects': ({ logicalId }) => ({ ref: logicalId }),
  };

  return {
    types: Object.keys(makers),
    create(resource) {
      const make = makers[resource.type];
      if (!make) throw new Error(`${resource.type} is not a type of S3`);
      return make(resource);
    },

    originOf(domain) {
      const [name, bucket] = [...buckets].find(([one]) => domainOf(one) === domain) ?? [];
      return name === undefined || !bucket ? undefined : bucketOrigin(bucket.objects, (key) => readable(name, key));
    },
  };

  function readable(name: string, key: string): boolean {
    return buckets.get(name)?.policy?.allowsCloudFrontRead(`${arnOf(name)}/${key}`) ?? false;
  }
}

function arnOf(bucket: string): string {
  return `arn:aws:s3:::${bucket}`;
}
