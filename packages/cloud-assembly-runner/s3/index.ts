/**
 * Amazon S3: buckets that the CDK's aws-s3-deployment fills and CloudFront reads, and objects that are put by calls. Those
 * that are deployed are the files of the cloud assembly, not copies of them; markers in them are replaced when they are read.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import type { Origin } from '../cloudfront';
import { physicalId } from '../cloudformation/physical-id';
import { propertiesOf } from '../cloudformation/properties';
import type { AwsApi, Created, Resource, Service } from '../service';
import { arnOf, createS3Api } from './api';
import { bucketOrigin, lateDeployment, type LateDeployment } from './bucket-origin';
import { bucketPolicyProperties, type BucketPolicy } from './bucket-policy';
import {
  markersConfig,
  replaceMarkers,
  deployedObject,
  filesBelow,
  openObjectStore,
  type StoredObject,
  type ObjectStore,
} from './objects';

export interface S3Options {
  readonly region: string;
  /** Cloud assembly (`cdk.out`) with the assets. */
  readonly assemblyFolder: string;
  /** Where objects that calls put are kept across restarts. */
  readonly dataFolder: string;
  /**
   * Resolves with whether files that the assembly lacks are there: CloudFront waits for their objects, and calls don't
   * find them until then. Without it, missing files are an error.
   */
  readonly completed?: Promise<boolean> | undefined;
}

export interface S3 extends Service, AwsApi {
  /** The bucket with this regional domain name as a CloudFront origin; undefined for another domain. */
  originOf(domain: string): Origin | undefined;
}

const unsupported = (what: string) => z.undefined({ error: `${what} not supported on this machine` }).optional();

/**
 * A lifecycle configuration is accepted and not executed: nothing expires or moves to another storage class. Of a
 * versioned bucket only the latest version of an object is kept, since no call that is supported could read another
 * one.
 */
const bucketProperties = z.object({
  BucketName: z.string().optional(),
  NotificationConfiguration: unsupported('notifications are'),
  ObjectLockConfiguration: unsupported('object lock is'),
  ObjectLockEnabled: z.literal(false, { error: 'object lock is not supported on this machine' }).optional(),
  ReplicationConfiguration: unsupported('replication is'),
  VersioningConfiguration: z.object({ Status: z.enum(['Enabled', 'Suspended']) }).optional(),
});

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
  readonly objects: ObjectStore;
  /** Adds an object of the cloud assembly; one that a call has put with this key comes first. */
  deploy(key: string, object: StoredObject): void;
  /** Deployments that wait for their files. */
  readonly late: LateDeployment[];
  policy: BucketPolicy | undefined;
}

export function createS3({ region, assemblyFolder, dataFolder, completed }: S3Options): S3 {
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
      buckets.set(name, createBucket(join(dataFolder, 'objects', name)));
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
      const bucket = bucketNamed(declared.DestinationBucketName, resource.logicalId);
      const prefix = declared.DestinationBucketKeyPrefix.replace(/\/*$/, '/').replace(/^\//, '');
      // The CDK uploads a folder as `<hash>.zip`; before that its files are in `asset.<hash>`.
      const folders = declared.SourceObjectKeys.map((key) =>
        join(assemblyFolder, `asset.${key.replace(/\.zip$/, '')}`),
      );
      const deploy = () =>
        folders.forEach((folder, index) => {
          if (!existsSync(folder)) throw new Error(`${resource.logicalId}: the cloud assembly has no ${folder}`);
          const replace = replaceMarkers(declared.SourceMarkers[index], declared.SourceMarkersConfig[index]);
          for (const [path, file] of filesBelow(folder))
            bucket.deploy(prefix + path, deployedObject(file, declared.SystemMetadata, replace));
        });
      if (completed === undefined || folders.every((folder) => existsSync(folder))) deploy();
      else bucket.late.push(lateDeployment(prefix, completed, deploy));
      return { ref: resource.logicalId };
    },

    // Empties a bucket before its deletion; no bucket is deleted here.
    'Custom::S3AutoDeleteObjects': ({ logicalId }) => ({ ref: logicalId }),
  };

  return {
    ...createS3Api((name) => buckets.get(name)),
    types: Object.keys(makers),
    create(resource) {
      const make = makers[resource.type];
      if (!make) throw new Error(`${resource.type} is not a type of S3`);
      return make(resource);
    },

    originOf(domain) {
      const [name, bucket] = [...buckets].find(([one]) => domainOf(one) === domain) ?? [];
      return name === undefined || !bucket
        ? undefined
        : bucketOrigin(bucket.objects, (key) => readable(name, key), bucket.late);
    },
  };

  function readable(name: string, key: string): boolean {
    return buckets.get(name)?.policy?.allowsCloudFrontRead(`${arnOf(name)}/${key}`) ?? false;
  }
}

/** A deleted object of the cloud assembly is there again at the next start, since that deploys it again. */
function createBucket(folder: string): Bucket {
  const deployed = new Map<string, StoredObject>();
  const stored = openObjectStore(folder);
  return {
    objects: {
      has: (key) => stored.has(key) || deployed.has(key),
      get: (key) => stored.get(key) ?? deployed.get(key),
      put: (key, object, content) => stored.put(key, object, content),
      delete(key) {
        stored.delete(key);
        deployed.delete(key);
      },
    },
    deploy: (key, object) => deployed.set(key, object),
    late: [],
    policy: undefined,
  };
}
