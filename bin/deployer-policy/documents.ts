import { excludedActions } from './excluded-actions';
import type { NamedTemplate } from './physical-names';
import registry from './registry.json';
import { resourceScopes, resourcesIn, type ResourceScope } from './resource-scopes';

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

/** By topic. */
export type PolicyDocuments = Readonly<Record<string, PolicyDocument>>;

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
 * @param templates of the app, which together have every resource; the policies are for stacks of any stage
 */
export function policyDocuments(templates: readonly NamedTemplate[]): PolicyDocuments {
  const handlerActions = typesIn(templates)
    .flatMap((type) => (registry.types as Readonly<Record<string, readonly string[]>>)[type] ?? [])
    .filter(isNeeded);
  const actions = [...new Set([...handlerActions, ...Object.keys(additionalActions)])].sort();
  const uncovered = actions.filter((action) => !Object.values(topics).some((part) => part.test(action)));
  if (uncovered.length > 0) throw new Error(`No policy document covers ${uncovered.join(', ')}`);
  return Object.fromEntries(
    Object.entries(topics).map(([name, part]) => {
      const own = actions.filter((action) => part.test(action));
      return [name, { Version: '2012-10-17', Statement: statements(own, templates) }] as const;
    }),
  );
}

const typesIn = (templates: readonly NamedTemplate[]) => [
  ...new Set(templates.flatMap(({ resources }) => Object.values(resources).map(({ Type }) => Type))),
];

function statements(actions: readonly string[], templates: readonly NamedTemplate[]): Statement[] {
  const found = new Map<string, Statement>();
  for (const action of actions) {
    const scope = resourceScopes.find((one) => one.actions.test(action)) ?? { actions: /./, resources: ['*'] };
    const { condition } = scope;
    const resources = resourcesIn(templates, scope);
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

/**
 * The same documents for an app whose roles have a permissions boundary; without it a deployment can create a role with
 * more rights than its own.
 */
export function withBoundary(documents: PolicyDocuments, boundaryArn: string): PolicyDocuments {
  const condition = { StringEquals: { 'iam:PermissionsBoundary': boundaryArn } };
  const bounded = (statement: Statement): Statement[] => {
    const kept = statement.Action.filter((action) => action !== 'iam:DeleteRolePermissionsBoundary');
    const extending = kept.filter((action) => extendsRole.test(action));
    const rest = kept.filter((action) => !extendsRole.test(action));
    const { Effect, Resource } = statement;
    return [
      ...(rest.length > 0 ? [{ ...statement, Action: rest }] : []),
      ...(extending.length > 0 ? [{ Effect, Action: extending, Resource, Condition: condition }] : []),
    ];
  };
  return Object.fromEntries(
    Object.entries(documents).map(([name, { Version, Statement }]) => [
      name,
      { Version, Statement: Statement.flatMap(bounded) },
    ]),
  );
}
