import * as z from 'zod';
import { parsePolicy, type PolicyDocument } from './policy';
import type { Created, Resource, Service } from '../service';
import { accountId } from '../cloudformation/template';

const inlinePolicies = z.array(z.object({ PolicyDocument: z.unknown() })).default([]);
const names = z.array(z.string()).default([]);

/** Trust policy of a role; principals other than services, and conditions, are ignored. */
const trustShape = z.object({
  Statement: z
    .array(
      z.object({
        Effect: z.enum(['Allow', 'Deny']),
        Action: z.string(),
        Principal: z
          .object({ Service: z.union([z.string().transform((one) => [one]), names]).optional() })
          .transform(({ Service = [] }) => Service),
      }),
    )
    .default([]),
});

const roleShape = z.object({
  RoleName: z.string().optional(),
  AssumeRolePolicyDocument: trustShape.default({ Statement: [] }),
  Policies: inlinePolicies,
  ManagedPolicyArns: names,
});
const policyShape = z.object({ PolicyDocument: z.unknown(), Roles: names });

/** AWS managed policies that a template may use, by the end of their ARN (AWS managed policy reference). */
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

/** IAM: roles and their policies. */
export interface Iam extends Service {
  /** Policy documents of a role. @throws Error when the role does not exist */
  policiesOf(roleArn: string): readonly PolicyDocument[];
  /** Whether a service such as `lambda.amazonaws.com` may assume a role. @throws Error when the role does not exist */
  trusts(roleArn: string, service: string): boolean;
}

interface Role {
  readonly documents: PolicyDocument[];
  /** ARNs of managed policies. */
  readonly managed: readonly string[];
  readonly services: readonly string[];
}

/** Supports roles, inline policies, customer managed policies and three AWS managed policies. */
export function createIam(): Iam {
  /** By name. */
  const roles = new Map<string, Role>();
  const managedPolicies = new Map<string, PolicyDocument>();
  const limits = createIamLimits();

  const createRole = ({ logicalId, properties }: Resource): Created => {
    const role = roleShape.parse(properties);
    const name = role.RoleName ?? logicalId;
    limits.trust(name, properties['AssumeRolePolicyDocument']);
    limits.managedPolicies(name, role.ManagedPolicyArns.length);
    for (const { PolicyDocument } of role.Policies) limits.inline(name, PolicyDocument);
    role.ManagedPolicyArns.filter((arn) => arn.startsWith(awsPrefix)).forEach(awsPolicy);
    roles.set(name, {
      documents: role.Policies.map(({ PolicyDocument }) => parsePolicy(PolicyDocument)),
      managed: role.ManagedPolicyArns,
      services: role.AssumeRolePolicyDocument.Statement.filter(
        ({ Effect, Action }) => Effect === 'Allow' && Action === 'sts:AssumeRole',
      ).flatMap(({ Principal }) => Principal),
    });
    return { ref: name, attributes: { Arn: roleArn(name), RoleId: name } };
  };

  const attach = (roleNames: readonly string[], document: PolicyDocument, to: string): void => {
    for (const name of roleNames) {
      const role = roles.get(name);
      if (!role) throw new Error(`${to} refers to role ${name}, which does not exist`);
      role.documents.push(document);
    }
  };

  const roleOf = (arn: string): Role => {
    const role = roles.get(arn.slice(arn.lastIndexOf('/') + 1));
    if (!role) throw new Error(`There is no role ${arn}`);
    return role;
  };

  return {
    types: ['AWS::IAM::Role', 'AWS::IAM::Policy', 'AWS::IAM::ManagedPolicy'],
    create: (resource) => {
      if (resource.type === 'AWS::IAM::Role') return createRole(resource);
      const policy = policyShape.parse(resource.properties);
      const document = parsePolicy(policy.PolicyDocument);
      attach(policy.Roles, document, resource.logicalId);
      if (resource.type === 'AWS::IAM::Policy') {
        for (const name of policy.Roles) limits.inline(name, policy.PolicyDocument);
        return { ref: resource.logicalId };
      }
      limits.managed(resource.logicalId, policy.PolicyDocument);
      const arn = `arn:aws:iam::${accountId}:policy/${resource.logicalId}`;
      managedPolicies.set(arn, document);
      return { ref: arn, attributes: { PolicyArn: arn } };
    },
    policiesOf: (arn) => {
      const { documents, managed } = roleOf(arn);
      if (managed.length === 0) return documents;
      return [...documents, ...managed.map((one) => managedPolicies.get(one) ?? awsPolicy(one))];
    },
    trusts: (arn, service) => roleOf(arn).services.includes(service),
  };
}

const awsPrefix = 'arn:aws:iam::aws:policy/';

function awsPolicy(arn: string): PolicyDocument {
  const document = awsManaged[arn.slice(awsPrefix.length)];
  if (!document) throw new Error(`The managed policy ${arn} is not supported on this machine`);
  return parsePolicy(document);
}

function roleArn(name: string): string {
  return `arn:aws:iam::${accountId}:role/${name}`;
}

/** IAM user guide, "IAM and AWS STS quotas". White space does not count. */
const MAX_INLINE_CHARACTERS = 10_240;
const MAX_MANAGED_CHARACTERS = 6_144;
const MAX_TRUST_CHARACTERS = 2_048;
const MAX_MANAGED_POLICIES = 10;

/** Quota checks of IAM; each throws an Error that names what exceeds a quota. */
interface IamLimits {
  trust(roleName: string, document: unknown): void;
  /** Adds an inline policy; all inline policies of a role count together. */
  inline(roleName: string, document: unknown): void;
  managed(name: string, document: unknown): void;
  managedPolicies(roleName: string, count: number): void;
}

function createIamLimits(): IamLimits {
  const inlineSizes = new Map<string, number>();
  return {
    trust: (roleName, document) =>
      check(`The trust policy of role ${roleName}`, sizeOf(document), MAX_TRUST_CHARACTERS),
    inline(roleName, document) {
      const size = (inlineSizes.get(roleName) ?? 0) + sizeOf(document);
      inlineSizes.set(roleName, size);
      check(`Role ${roleName}`, size, MAX_INLINE_CHARACTERS, 'characters of inline policies');
    },
    managed: (name, document) => check(`The managed policy ${name}`, sizeOf(document), MAX_MANAGED_CHARACTERS),
    managedPolicies: (roleName, count) => check(`Role ${roleName}`, count, MAX_MANAGED_POLICIES, 'managed policies'),
  };
}

function sizeOf(document: unknown): number {
  return JSON.stringify(document ?? {}).replaceAll(/\s/g, '').length;
}

function check(what: string, number: number, most: number, unit = 'characters'): void {
  if (number > most) throw new Error(`${what} has ${number} ${unit}, IAM allows ${most}`);
}
