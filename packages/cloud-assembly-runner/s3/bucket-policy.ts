/** Bucket policies: Amazon CloudFront developer guide, "Restrict access to an Amazon S3 origin" (OAC). */
import * as z from 'zod';
import { matches } from '../iam/policy';

const oneOrMany = z.union([z.string().transform((one) => [one]), z.array(z.string())]);

const statement = z.object({
  Effect: z.enum(['Allow', 'Deny']),
  Action: oneOrMany,
  Principal: z.union([z.string(), z.record(z.string(), oneOrMany)]),
  Resource: oneOrMany,
  Condition: z.record(z.string(), z.record(z.string(), z.unknown())).default({}),
});

export interface BucketPolicy {
  /** Whether CloudFront may get the object with this ARN. Conditions on the distribution and on TLS are not evaluated. */
  allowsCloudFrontRead(objectArn: string): boolean;
}

/** Properties of AWS::S3::BucketPolicy, with the document as a {@link BucketPolicy}. */
export const bucketPolicyProperties = z.object({
  Bucket: z.string(),
  PolicyDocument: z.object({ Statement: z.array(statement) }).transform(({ Statement }): BucketPolicy => {
    const matching = (effect: string, objectArn: string) =>
      Statement.filter(
        ({ Effect, Action, Resource }) =>
          Effect === effect &&
          Action.some((pattern) => matches(pattern.toLowerCase(), 's3:getobject')) &&
          Resource.some((pattern) => matches(pattern, objectArn)),
      );
    return {
      allowsCloudFrontRead: (objectArn) =>
        matching('Deny', objectArn).every(({ Condition }) => Object.keys(Condition).length > 0) &&
        matching('Allow', objectArn).some(({ Principal }) => services(Principal).includes('cloudfront.amazonaws.com')),
    };
  }),
});

function services(principal: z.infer<typeof statement>['Principal']): readonly string[] {
  return typeof principal === 'string' ? [] : (principal['Service'] ?? []);
}
