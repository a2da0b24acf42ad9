import type { Service } from '../service';

/**
 * Lambda without the function behind `Custom::CDKBucketDeployment`, which is the CDK's own, in Python and with the AWS
 * CLI; `createS3` does its work. The function can be referred to but is never invoked.
 */
export function withoutBucketDeployer(lambda: Service): Service {
  return {
    types: [...lambda.types, 'AWS::Lambda::LayerVersion'],
    create: (resource) => {
      const unused = resource.type === 'AWS::Lambda::LayerVersion' || resource.logicalId.startsWith(DEPLOYER);
      if (!unused) return lambda.create(resource);
      const { logicalId } = resource;
      return { ref: logicalId, attributes: { Arn: `arn:aws:lambda:local:000000000000:function:${logicalId}` } };
    },
    start: () => lambda.start?.() ?? Promise.resolve(),
    stop: () => lambda.stop?.() ?? Promise.resolve(),
  };
}

/** Prefix of the logical id of the CDK's singleton function. */
const DEPLOYER = 'CustomCDKBucketDeployment';
