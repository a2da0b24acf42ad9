import * as z from 'zod';
import { parsePolicy, type PolicyDocument } from './policy';
import type { Created, Resource, Service } from './service';
import { accountId } from './template';

const inlinePolicies = z.array(z.object({ PolicyDocument: z.unknown() })).default([]);
const names = z.array(z.string()).default([]);

const roleShape = z.object({ RoleName: z.string().optional(), Policies: inlinePolicies, ManagedPolicyArns: names });
const policyShape = z.object({ PolicyDocument: z.unknown(), Roles: names });

/** The policies of AWS's own that the template may name, by the end of their ARN (AWS managed policy reference). */
const awsManaged: Readonly<Record<string, unknown>> = {
  'service-role/AWSLambdaBasicExecutionRole': {
    Statement: {
      Effect: 'Allow',
      Action: ['logs:CreateLogGroup', 'logs:CreateLogStream', 'logs:PutLogEvents'],
      Resource: '*',
    },
  },
  AWSXRayDaemonWriteAccess: {
    Statement: {
      Effect: 'Allow',
      Action: ['xray:PutTraceSegments', 'xray:PutTelemetryRecords', 'xray:GetSampling*'],
      Resource: '*',
    },
  },
  // For API Gateway itself, never for a function.
  'service-role/AmazonAPIGatewayPushToCloudWatchLogs': { Statement: [] },
};

/** IAM on this machine: keeps roles and their policies. */
export interface Iam extends Service {
  /** Policy documents that hold for a role, named by its ARN; throws for a role that does not exist. */
  policiesOf(roleArn: string): readonly PolicyDocument[];
}

/** Plays roles, inline policies and managed policies, customer's and the few of AWS that are used. */
export function createIam(): Iam {
  /** Documents and managed policy ARNs, by role name. */
  const roles = new Map<string, { documents: PolicyDocument[]; managed: readonly string[] }>();
  const managedPolicies = new Map<string, PolicyDocument>();

  const createRole = ({ logicalId, properties }: Resource): Created => {
    const role = roleShape.parse(properties);
    const name = role.RoleName ?? logicalId;
    role.ManagedPolicyArns.filter((arn) => arn.startsWith(awsPrefix)).forEach(awsPolicy);
    roles.set(name, {
      documents: role.Policies.map(({ PolicyDocument }) => parsePolicy(PolicyDocument)),
      managed: role.ManagedPolicyArns,
    });
    return { ref: name, attributes: { Arn: roleArn(name), RoleId: name } };
  };

  const attach = (roleNames: readonly string[], document: PolicyDocument, to: string): void => {
    for (const name of roleNames) {
      const role = roles.get(name);
      if (!role) throw new Error(`${to} is for role ${name}, which does not exist`);
      role.documents.push(document);
    }
  };

  return {
    types: ['AWS::IAM::Role', 'AWS::IAM::Policy', 'AWS::IAM::ManagedPolicy'],
    create: (resource) => {
      if (resource.type === 'AWS::IAM::Role') return createRole(resource);
      const policy = policyShape.parse(resource.properties);
      const document = parsePolicy(policy.PolicyDocument);
      attach(policy.Roles, document, resource.logicalId);
      if (resource.type === 'AWS::IAM::Policy') return { ref: resource.logicalId };
      const arn = `arn:aws:iam::${accountId}:policy/${resource.logicalId}`;
      managedPolicies.set(arn, document);
      return { ref: arn, attributes: { PolicyArn: arn } };
    },
    policiesOf: (arn) => {
      const role = roles.get(arn.slice(arn.lastIndexOf('/') + 1));
      if (!role) throw new Error(`There is no role ${arn}`);
      if (role.managed.length === 0) return role.documents;
      return [...role.documents, ...role.managed.map((one) => managedPolicies.get(one) ?? awsPolicy(one))];
    },
  };
}

const awsPrefix = 'arn:aws:iam::aws:policy/';

function awsPolicy(arn: string): PolicyDocument {
  const document = awsManaged[arn.slice(awsPrefix.length)];
  if (!document) throw new Error(`The managed policy ${arn} is not known to the local stack`);
  return parsePolicy(document);
}

function roleArn(name: string): string {
  return `arn:aws:iam::${accountId}:role/${name}`;
}
