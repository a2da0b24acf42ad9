/** CloudFormation's calls for each resource of the app, judged by the policies that the documents hand out. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { evaluate, parsePolicy } from 'cloud-assembly-runner/iam/policy';
import { excludedActions } from '../../../bin/deployer-policy/excluded-actions';
import { arnsOf, naming } from '../../../bin/deployer-policy/physical-names';
import registry from '../../../bin/deployer-policy/registry.json';
import { everyTemplate, type SynthesisedTemplate } from '../every-template';
import type { CfnResource } from '../synthesised';

const file = join(__dirname, '../../../docs/deployer-policy.json');
const documents = Object.values(JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>).map(parsePolicy);
const templates = everyTemplate();
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
const text = ({ id, action, resources }: Call & { readonly id: string }) => `${id}: ${action} ${resources.join(', ')}`;

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
