import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { additionalActions, policyDocuments, withBoundary } from '../../../bin/deployer-policy/documents';
import { excludedActions } from '../../../bin/deployer-policy/excluded-actions';
import { resourceScopes } from '../../../bin/deployer-policy/resource-scopes';
import registry from '../../../bin/deployer-policy/registry.json';
import { everyTemplate } from '../every-template';

interface BoundaryDocument {
  readonly Statement: readonly { readonly Action: string | readonly string[] }[];
}

const root = join(__dirname, '../../..');
const templates = everyTemplate();
const ofAws = templates
  .flatMap(({ resources }) => Object.values(resources))
  .filter(({ Type }) => Type.startsWith('AWS::'));

const documents = policyDocuments(templates);
const statementsOf = (some: typeof documents) => Object.values(some).flatMap(({ Statement }) => Statement);
const actionsOf = (some: typeof documents) => statementsOf(some).flatMap(({ Action }) => Action);

test('registry.json lists exactly the resource types of the app', () => {
  expect(Object.keys(registry.types)).toEqual([...new Set(ofAws.map(({ Type }) => Type))].sort());
});

test('docs/deployer-policy.json is up to date with `npm run deployer-policy -- --write`', () => {
  const committed: unknown = JSON.parse(readFileSync(join(root, 'docs/deployer-policy.json'), 'utf8'));
  expect(committed).toEqual(documents);
});

test('every action of a resource handler is in the policy, or excluded with a reason', () => {
  const all = new Set(Object.values(registry.types).flat());
  const absent = [...all].filter((action) => !actionsOf(documents).includes(action));
  expect(absent.filter((action) => !excludedActions.some(({ actions }) => actions.test(action)))).toEqual([]);
  const more = actionsOf(documents).filter((action) => !all.has(action));
  expect(more.filter((action) => !Object.hasOwn(additionalActions, action))).toEqual([]);
});

test.each(excludedActions.map((excluded) => [excluded.reason, excluded] as const))(
  'no resource needs the actions excluded because %s',
  (_, left) => {
    const all = Object.values(registry.types).flat();
    expect(all.filter((action) => left.actions.test(action))).not.toEqual([]);
    const concerned = ofAws.filter(({ Type }) => left.types?.test(Type) ?? true);
    expect(concerned).not.toEqual([]);
    const needing = concerned.filter(({ Properties }) =>
      Object.entries(Properties).some(([name, value]) => left.properties?.test(name) && value !== ''),
    );
    expect(needing.map(({ Type }) => Type)).toEqual([]);
  },
);

test('every resource scope applies to an action', () => {
  const actions = actionsOf(documents);
  for (const [index, place] of resourceScopes.entries()) {
    const reached = actions.filter((action) => resourceScopes.findIndex((one) => one.actions.test(action)) === index);
    expect([String(place.actions), reached]).not.toEqual([String(place.actions), []]);
  }
});

test('no action is a wildcard, and each document fits into an IAM managed policy', () => {
  for (const action of actionsOf(documents)) expect(action).toMatch(/^[a-z0-9-]+:[A-Za-z.]+$/);
  // IAM does not count white space (IAM user guide, "IAM and AWS STS quotas").
  for (const document of Object.values(documents)) expect(JSON.stringify(document).length).toBeLessThan(6144);
});

test('only roles of this app can be created, changed or passed, the last to four services', () => {
  const ofRoles = statementsOf(documents).filter(({ Action }) => Action.some((action) => action.startsWith('iam:')));
  for (const { Resource } of ofRoles) {
    expect(Resource).toEqual([expect.stringMatching(/role\/(DroneMissionApi\*|aws-service-role\/ops\.apigateway)/)]);
  }
  const passing = ofRoles.filter(({ Action }) => Action.includes('iam:PassRole'));
  expect(passing.map(({ Condition }) => Condition)).toEqual([
    {
      StringEquals: {
        'iam:PassedToService': [
          'apigateway.amazonaws.com',
          'events.amazonaws.com',
          'lambda.amazonaws.com',
          'scheduler.amazonaws.com',
        ],
      },
    },
  ]);
});

test('with a permissions boundary, only roles that have it can be created or extended, and none can lose it', () => {
  const boundary = 'arn:aws:iam::123456789012:policy/bound';
  const bounded = withBoundary(documents, boundary);
  expect(actionsOf(bounded)).not.toContain('iam:DeleteRolePermissionsBoundary');
  const widening = ['AttachRolePolicy', 'CreateRole', 'PutRolePermissionsBoundary', 'PutRolePolicy'];
  for (const action of widening.map((name) => `iam:${name}`)) {
    const statements = statementsOf(bounded).filter(({ Action }) => Action.includes(action));
    expect(statements.map(({ Condition }) => Condition)).toEqual([
      { StringEquals: { 'iam:PermissionsBoundary': boundary } },
    ]);
  }
});

test('docs/permissions-boundary.json allows every action of the app’s roles', () => {
  const boundary = JSON.parse(readFileSync(join(root, 'docs/permissions-boundary.json'), 'utf8')) as BoundaryDocument;
  const bounds = boundary.Statement.flatMap(({ Action }) => Action);
  const allowed = (action: string) =>
    bounds.some((bound) => (bound.endsWith(':*') ? action.startsWith(bound.slice(0, -1)) : action === bound));
  const rights = ofAws
    .flatMap(({ Type, Properties }) => {
      if (Type === 'AWS::IAM::Policy') return [Properties['PolicyDocument']];
      const inRole = Type === 'AWS::IAM::Role' ? Properties['Policies'] : undefined;
      return ((inRole ?? []) as { PolicyDocument: unknown }[]).map(({ PolicyDocument }) => PolicyDocument);
    })
    .flatMap((document) => (document as BoundaryDocument).Statement)
    .flatMap(({ Action }) => Action);
  expect(rights.length).toBeGreaterThan(40);
  expect([...new Set(rights)].filter((action) => !allowed(action))).toEqual([]);
  const services = new Set(rights.map((action) => action.split(':')[0]));
  expect(bounds.filter((bound) => !services.has(bound.split(':')[0]))).toEqual([]);
});
