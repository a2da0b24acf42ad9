/**
 * Bucket policies: Amazon CloudFront developer guide, "Restrict access to an Amazon S3 origin" (OAC), and Amazon S3 user
 * guide, "Bucket policies for Amazon S3".
 */
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
  /**
   * Whether an action such as `s3:PutObject` on the object with this ARN is denied to everyone. Conditions on TLS don't hold,
   * since connections on this machine count as TLS; any other condition of a denial does.
   */
  denies(action: string, objectArn: string): boolean;
}

/** "Amazon S3 condition keys", in lower case. */
const TLS_KEYS = ['aws:securetransport', 's3:tlsversion'];

/** Properties of AWS::S3::BucketPolicy, with the document as a {@link BucketPolicy}. */
export const bucketPolicyProperties = z.object({
  Bucket: z.string(),
  PolicyDocument: z.object({ Statement: z.array(statement) }).transform(({ Statement }): BucketPolicy => {
    const matching = (effect: string, objectArn: string, action = 's3:GetObject') =>
      Statement.filter(
        ({ Effect, Action, Resource }) =>
          Effect === effect &&
          Action.some((pattern) => matches(pattern.toLowerCase(), action.toLowerCase())) &&
          Resource.some((pattern) => matches(pattern, objectArn)),
      );
    return {
      allowsCloudFrontRead: (objectArn) =>
        matching('Deny', objectArn).every(({ Condition }) => Object.keys(Condition).length > 0) &&
        matching('Allow', objectArn).some(({ Principal }) => services(Principal).includes('cloudfront.amazonaws.com')),
      denies: (action, objectArn) =>
        matching('Deny', objectArn, action).some(
          ({ Principal, Condition }) => isEveryone(Principal) && !isAboutTls(Condition),
        ),
    };
  }),
});

function services(principal: z.infer<typeof statement>['Principal']): readonly string[] {
  return typeof principal === 'string' ? [] : (principal['Service'] ?? []);
}

function isEveryone(principal: z.infer<typeof statement>['Principal']): boolean {
  return principal === '*' || (typeof principal !== 'string' && (principal['AWS'] ?? []).includes('*'));
}

function isAboutTls(condition: z.infer<typeof statement>['Condition']): boolean {
  return Object.values(condition).some((keys) => Object.keys(keys).some((key) => TLS_KEYS.includes(key.toLowerCase())));
}
