import { leftOut } from './left-out';
import { places, type Place } from './places';
import registry from './registry.json';

interface Statement {
  readonly Effect: 'Allow';
  readonly Action: readonly string[];
  readonly Resource: readonly string[];
  readonly Condition?: Place['condition'];
}

export interface PolicyDocument {
  readonly Version: '2012-10-17';
  readonly Statement: readonly Statement[];
}

/** What a deployment needs that no handler of a type does, and why. */
export const beyond: Readonly<Record<string, string>> = {
  'lambda:InvokeFunction': 'custom resources are functions that CloudFormation calls with the rights of the deployment',
  'ssm:GetParameters': 'the template asks which version of the bootstrap stack is there',
  'iam:CreateServiceLinkedRole': 'API Gateway makes its own role with the first custom domain name of an account',
};

/** The documents, each small enough for a managed policy of IAM, by what they are about. */
const parts: Readonly<Record<string, RegExp>> = {
  functions: /^(iam|lambda|logs|ssm):/,
  data: /^(dynamodb|events|iot|s3|scheduler|secretsmanager|sqs):/,
  front: /^(acm|apigateway|cloudfront|cloudwatch|cognito-idp|wafv2):/,
};

/** Whether an action of the registry is one that a deployment of this app needs. */
const needed = (action: string) => !leftOut.some(({ actions }) => actions.test(action));

/**
 * The least that CloudFormation's role needs to create, update and delete this app, as policies of IAM.
 * @param boundaryArn the permissions boundary that every role of the app has; without it a deployment can make a role
 *   that may do more than the deployment itself
 */
export function policyDocuments(boundaryArn?: string): Readonly<Record<string, PolicyDocument>> {
  const listed = Object.values(registry.types).flat().filter(needed);
  const actions = [...new Set([...listed, ...Object.keys(beyond)])].sort();
  const homeless = actions.filter((action) => !Object.values(parts).some((part) => part.test(action)));
  if (homeless.length > 0) throw new Error(`No part of the policy is for ${homeless.join(', ')}`);
  return Object.fromEntries(
    Object.entries(parts).map(([name, part]) => {
      const own = actions.filter((action) => part.test(action));
      return [name, { Version: '2012-10-17', Statement: statements(own, boundaryArn) }] as const;
    }),
  );
}

function statements(actions: readonly string[], boundaryArn: string | undefined): Statement[] {
  const found = new Map<string, Statement>();
  for (const action of actions) {
    if (boundaryArn !== undefined && action === 'iam:DeleteRolePermissionsBoundary') continue;
    const { resources, condition } = bounded(action, boundaryArn);
    const key = JSON.stringify([resources, condition]);
    found.set(key, {
      Effect: 'Allow',
      Action: [...(found.get(key)?.Action ?? []), action],
      Resource: resources,
      ...(condition && { Condition: condition }),
    });
  }
  return [...found.values()];
}

/** What makes or widens a role. */
const ofBoundedRoles = /^iam:(CreateRole|(Attach|Detach|Put|Delete)RolePolicy|PutRolePermissionsBoundary)$/;

function bounded(action: string, boundaryArn: string | undefined): Omit<Place, 'actions'> {
  const { resources, condition } = places.find(({ actions }) => actions.test(action)) ?? { resources: ['*'] };
  if (boundaryArn === undefined || !ofBoundedRoles.test(action)) return { resources, ...(condition && { condition }) };
  return { resources, condition: { StringEquals: { 'iam:PermissionsBoundary': boundaryArn } } };
}
