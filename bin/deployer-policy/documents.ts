import { excludedActions } from './excluded-actions';
import { resourceScopes, type ResourceScope } from './resource-scopes';
import registry from './registry.json';

interface Statement {
  readonly Effect: 'Allow';
  readonly Action: readonly string[];
  readonly Resource: readonly string[];
  readonly Condition?: ResourceScope['condition'];
}

export interface PolicyDocument {
  readonly Version: '2012-10-17';
  readonly Statement: readonly Statement[];
}

/** Actions that a deployment needs and no resource handler declares, with the reason. */
export const additionalActions: Readonly<Record<string, string>> = {
  'lambda:InvokeFunction': 'CloudFormation invokes the functions of custom resources with the deployment role',
  'ssm:GetParameters': 'the template reads the version of the bootstrap stack',
  'iam:CreateServiceLinkedRole':
    'API Gateway creates its service-linked role with the first custom domain name of an account',
};

/** The documents by topic, each small enough for a managed policy. */
const topics: Readonly<Record<string, RegExp>> = {
  functions: /^(iam|lambda|logs|ssm):/,
  data: /^(dynamodb|events|iot|s3|scheduler|secretsmanager|sqs):/,
  front: /^(acm|apigateway|cloudfront|cloudwatch|cognito-idp|wafv2):/,
};

/** Whether a deployment of this app needs an action of the registry. */
const isNeeded = (action: string) => !excludedActions.some(({ actions }) => actions.test(action));

/**
 * The least-privilege policies for CloudFormation's role to create, update and delete this app.
 * @param boundaryArn permissions boundary of every role of the app; without it a deployment can create a role with more
 *   rights than its own
 */
export function policyDocuments(boundaryArn?: string): Readonly<Record<string, PolicyDocument>> {
  const handlerActions = Object.values(registry.types).flat().filter(isNeeded);
  const actions = [...new Set([...handlerActions, ...Object.keys(additionalActions)])].sort();
  const uncovered = actions.filter((action) => !Object.values(topics).some((part) => part.test(action)));
  if (uncovered.length > 0) throw new Error(`No policy document covers ${uncovered.join(', ')}`);
  return Object.fromEntries(
    Object.entries(topics).map(([name, part]) => {
      const own = actions.filter((action) => part.test(action));
      return [name, { Version: '2012-10-17', Statement: statements(own, boundaryArn) }] as const;
    }),
  );
}

function statements(actions: readonly string[], boundaryArn: string | undefined): Statement[] {
  const found = new Map<string, Statement>();
  for (const action of actions) {
    if (boundaryArn !== undefined && action === 'iam:DeleteRolePermissionsBoundary') continue;
    const { resources, condition } = scopeOf(action, boundaryArn);
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

/** Actions that create a role or extend its permissions. */
const extendsRole = /^iam:(CreateRole|(Attach|Detach|Put|Delete)RolePolicy|PutRolePermissionsBoundary)$/;

function scopeOf(action: string, boundaryArn: string | undefined): Omit<ResourceScope, 'actions'> {
  const { resources, condition } = resourceScopes.find(({ actions }) => actions.test(action)) ?? { resources: ['*'] };
  if (boundaryArn === undefined || !extendsRole.test(action)) return { resources, ...(condition && { condition }) };
  return { resources, condition: { StringEquals: { 'iam:PermissionsBoundary': boundaryArn } } };
}
