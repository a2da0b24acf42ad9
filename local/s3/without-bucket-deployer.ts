import type { Service } from '../service';

/**
 * Lambda without the function behind `Custom::CDKBucketDeployment`: it is the CDK's own, in Python and around the AWS
 * command line, and `createS3` does its work. It can be referred to, and nobody calls it.
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

/** Logical ids of the CDK's singleton start with it. */
const DEPLOYER = 'CustomCDKBucketDeployment';
