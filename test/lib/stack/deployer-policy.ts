import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { evaluate, parsePolicy } from 'cloud-assembly-runner/iam/policy';
import {
  additionalActions,
  policyDocuments,
  withBoundary,
  excludedActions,
} from '../../../bin/deployer-policy/documents';
import { resourceScopes } from '../../../bin/deployer-policy/resource-scopes';
import registry from '../../../bin/deployer-policy/registry.json';
import { type CfnResource, everyTemplate, type SynthesisedTemplate } from '../synthesised';
import { arnsOf, naming } from '../../../bin/deployer-policy/physical-names';

const templates = everyTemplate();

describe('Deployer policy', () => {
  interface BoundaryDocument {
    readonly Statement: readonly { readonly Action: string | readonly string[] }[];
  }

  const root = join(__dirname, '../../..');
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
});

/** CloudFormation's calls for each resource of the app, judged by the policies that the documents hand out. */
describe('Deployer policy calls', () => {
  const file = join(__dirname, '../../../docs/deployer-policy.json');
  const documents = Object.values(JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>).map(parsePolicy);
  const handlers: Readonly<Record<string, readonly string[]>> = registry.types;
  const boundTo: Readonly<Record<string, readonly string[]>> = registry.actions;

  interface Call {
    readonly action: string;
    /** The name, or what the action may be bound to where AWS assigns an id: then one of them. */
    readonly resources: readonly string[];
  }

  const isExcluded = (action: string) => excludedActions.some(({ actions }) => actions.test(action));
  /** Some that handlers list are no actions of IAM. */
  const isKnown = (action: string) => boundTo[action] !== undefined;

  /** A name that AWS would complete: region, account and random parts have values. */
  const completed = (arn: string) => {
    const [prefix = '', partition = '', service = '', region = '', account = '', ...rest] = arn.split(':');
    const place = [region.replace('*', 'eu-central-1'), account.replace('*', '123456789012')];
    return [prefix, partition, service, ...place, rest.join(':').replaceAll('*', 'A1B2C3D4E5F6')].join(':');
  };

  /** Ids that AWS assigns, or that are no names, in the ARNs that an action may be bound to. */
  const assigned = (format: string) =>
    completed(format.replace(/\/restapis\/\*$/, '/restapis/a1b2c3/stages/live').replace(/\*$/, 'a1b2c3'));

  const matches = (format: string, arn: string) =>
    new RegExp(`^${format.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')}$`).test(arn);

  const own = ({ stackName, resources }: SynthesisedTemplate, id: string): string[] => {
    const resource = resources[id];
    return resource ? arnsOf(stackName, id, resource).map(completed) : [];
  };

  /** Logical ids that a resource refers to. */
  const referredBy = (resource: CfnResource): string[] =>
    [...JSON.stringify(resource.Properties).matchAll(/"(?:Ref":|Fn::GetAtt":\[)"(\w+)"/g)].map(([, id = '']) => id);

  /** The bucket of the bootstrap, which holds the code of functions and layers. */
  const ASSETS = 'cdk-hnb659fds-assets-';
  const asset = `arn:aws:s3:::${ASSETS}123456789012-eu-central-1/code.zip`;
  const isObject = (arn: string) => /^arn:aws:s3:::.*\//.test(arn);

  const serviceOf = (action: string) => action.split(':')[0] ?? '';

  /** Actions of a type's handlers that are for something else than the resource, which not every one refers to. */
  const ofOthers: Readonly<Record<string, RegExp>> = {
    // Its layers.
    'AWS::Lambda::Function': /^lambda:GetLayerVersion$/,
  };

  /** What CloudFormation calls to create, read, update and delete a resource, and on what. */
  function callsFor(template: SynthesisedTemplate, id: string, resource: CfnResource): Call[] {
    const needed = (handlers[resource.Type] ?? []).filter((action) => !isExcluded(action) && isKnown(action));
    const referred = referredBy(resource).flatMap((other) => own(template, other));
    const copied = JSON.stringify(resource.Properties).includes(ASSETS) ? [asset] : [];
    const candidates = [...own(template, id), ...referred, ...copied];
    return needed.flatMap((action) => {
      const formats = boundTo[action];
      if (formats === undefined || formats.length === 0) return [{ action, resources: ['*'] }];
      const named = candidates
        .filter((arn) => formats.some((format) => matches(format, arn)))
        .filter((arn) => isObject(arn) === action.startsWith('s3:GetObject'));
      if (named.length > 0) return named.map((arn) => ({ action, resources: [arn] }));
      // Another service is called only for what the template names: a role, a bucket, a certificate.
      if (naming[resource.Type] !== undefined || serviceOf(action) === 'iam' || serviceOf(action) === 's3') return [];
      return [{ action, resources: formats.map(assigned) }];
    });
  }

  const allCalls = (template: SynthesisedTemplate) =>
    Object.entries(template.resources).flatMap(([id, resource]) =>
      callsFor(template, id, resource).map((call) => ({ id, type: resource.Type, ...call })),
    );

  /** The services that roles are passed to. */
  const context = { 'iam:PassedToService': ['lambda.amazonaws.com'] };
  const isAllowed = ({ action, resources }: Call) =>
    resources.some((resource) => evaluate(documents, { action, resource, context }) === 'allow');
  const text = ({ id, action, resources }: Call & { readonly id: string }) =>
    `${id}: ${action} ${resources.join(', ')}`;

  describe.each(templates.map((template) => [template.stackName, template] as const))('%s', (_name, template) => {
    const calls = allCalls(template);

    test('every call for a resource is allowed on its name', () => {
      expect(calls.length).toBeGreaterThan(5);
      const denied = calls.filter((call) => !isAllowed(call));
      expect([...new Set(denied.map(text))]).toEqual([]);
    });

    test('each action of a resource with a name is called on that name', () => {
      const nameless = Object.entries(template.resources).flatMap(([id, resource]) => {
        if (naming[resource.Type] === undefined) return [];
        const service = own(template, id)[0]?.split(':')[2];
        const called = new Set(calls.filter((call) => call.id === id).map(({ action }) => action));
        const needed = (handlers[resource.Type] ?? []).filter((action) => serviceOf(action) === service);
        return needed
          .filter((action) => !called.has(action) && !isExcluded(action) && isKnown(action))
          .filter((action) => !ofOthers[resource.Type]?.test(action))
          .map((action) => `${id}: ${action}`);
      });
      expect(nameless).toEqual([]);
    });

    test('no call is allowed on the name of another stack’s resource', () => {
      const foreign = foreignStack(template);
      const named = allCalls(foreign).filter(
        ({ type, resources: [first] }) => naming[type] !== undefined && first !== '*' && first !== asset,
      );
      expect(named.length).toBeGreaterThan(5);
      const allowed = named.filter(isAllowed).map(text);
      expect([...new Set(allowed)]).toEqual([]);
    });
  });

  /** The same resources in a stack of another app. */
  function foreignStack({ stackName, resources }: SynthesisedTemplate): SynthesisedTemplate {
    const renamed = JSON.stringify(resources)
      .replaceAll('DroneMissionApi', 'OtherApp')
      .replaceAll(/"(Ref|Fn::GetAtt)":(\[?)"(?!AWS::)/g, '"$1":$2"Other');
    const entries = Object.entries(JSON.parse(renamed) as SynthesisedTemplate['resources']);
    return {
      stackName: stackName.replace('DroneMissionApi', 'OtherApp'),
      resources: Object.fromEntries(entries.map(([id, resource]) => [`Other${id}`, resource])),
      outputs: {},
    };
  }

  test('the functions of custom resources may be invoked', () => {
    const functions = templates.flatMap((template) =>
      Object.values(template.resources)
        .filter(({ Type }) => Type.startsWith('Custom::'))
        .flatMap(({ Properties }) => {
          const { 'Fn::GetAtt': [id = ''] = [] } = Properties['ServiceToken'] as { 'Fn::GetAtt'?: string[] };
          return own(template, id);
        }),
    );
    expect(functions.length).toBeGreaterThan(5);
    for (const resource of functions)
      expect(isAllowed({ action: 'lambda:InvokeFunction', resources: [resource] })).toBe(true);
  });
});
