import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { isTrue, noValue, referencesIn, resolve, type Scope } from './intrinsics';

const names = z.union([z.string().transform((one) => [one]), z.array(z.string())]);

const rawResource = z.object({
  Type: z.string(),
  Properties: z.record(z.string(), z.unknown()).default({}),
  Metadata: z.record(z.string(), z.unknown()).default({}),
  DependsOn: names.default([]),
  Condition: z.string().optional(),
});

const templateShape = z.object({
  Description: z.string().default(''),
  Parameters: z.record(z.string(), z.object({ Default: z.unknown().optional() })).default({}),
  Mappings: z.record(z.string(), z.record(z.string(), z.record(z.string(), z.unknown()))).default({}),
  Conditions: z.record(z.string(), z.unknown()).default({}),
  Resources: z.record(z.string(), rawResource),
  Outputs: z.record(z.string(), z.object({ Value: z.unknown(), Condition: z.string().optional() })).default({}),
});

const manifestShape = z.object({
  artifacts: z.record(
    z.string(),
    z.object({
      type: z.string(),
      properties: z.object({ templateFile: z.string().optional(), stackName: z.string().optional() }).optional(),
    }),
  ),
});

/** A resource as written in the template, with intrinsic functions. */
export type RawResource = z.infer<typeof rawResource> & { readonly logicalId: string };

export type Template = z.infer<typeof templateShape>;

/** The only stack of a synthesised CDK app. */
export interface Assembly {
  /** Folder of the cloud assembly; assets are relative to it. */
  readonly folder: string;
  readonly stackName: string;
  readonly template: Template;
}

/** Region and account of everything on this machine. */
export const region = 'eu-central-1';
export const accountId = '000000000000';

/**
 * Reads a cloud assembly (`cdk.out`) through its manifest.
 * @throws Error unless it holds exactly one stack, and for a template that exceeds CloudFormation's quotas
 */
export function readAssembly(folder: string): Assembly {
  const manifest = manifestShape.parse(readJson(join(folder, 'manifest.json')));
  const stacks = Object.entries(manifest.artifacts).filter(([, { type }]) => type === 'aws:cloudformation:stack');
  const [stack] = stacks;
  if (!stack || stacks.length > 1) throw new Error(`${folder} must hold one stack, not ${stacks.length}`);
  const [id, { properties }] = stack;
  const text = readFileSync(join(folder, properties?.templateFile ?? `${id}.template.json`), 'utf8');
  const template = parseTemplate(JSON.parse(text));
  checkTemplateLimits(template, Buffer.byteLength(text));
  return { folder, stackName: properties?.stackName ?? id, template };
}

/** @throws ZodError for anything but a CloudFormation template */
export function parseTemplate(value: unknown): Template {
  return templateShape.parse(value);
}

/**
 * Resources whose condition holds, each after those it refers to (Ref, Fn::GetAtt, Fn::Sub, DependsOn), otherwise in
 * the template's order.
 * @throws Error for a reference to an unknown resource, and for a cycle, naming its members
 */
export function inCreationOrder(template: Template, scope: Pick<Scope, 'condition'>): RawResource[] {
  const ordered: RawResource[] = [];
  const done = new Set<string>();
  const path: string[] = [];

  const visit = (logicalId: string, from: string): void => {
    if (done.has(logicalId) || Object.hasOwn(template.Parameters, logicalId)) return;
    const resource = Object.hasOwn(template.Resources, logicalId) ? template.Resources[logicalId] : undefined;
    if (!resource) throw new Error(`${from} refers to ${logicalId}, which the template does not have`);
    const seen = path.indexOf(logicalId);
    if (seen >= 0) throw new Error(`Resources refer to each other in a cycle: ${cycle(path.slice(seen))}`);
    path.push(logicalId);
    for (const name of [...resource.DependsOn, ...referencesIn(resource.Properties)]) visit(name, logicalId);
    path.pop();
    done.add(logicalId);
    if (resource.Condition && !scope.condition(resource.Condition)) return;
    ordered.push({ ...resource, logicalId });
  };

  for (const logicalId of Object.keys(template.Resources)) visit(logicalId, 'The template');
  return ordered;
}

/** A created resource. */
export interface CreatedResource {
  readonly ref: unknown;
  attribute(name: string): string;
}

/**
 * Scope of a template: default values of parameters, pseudo parameters, mappings, conditions, and the resources that
 * `find` returns. Each lookup throws for an unknown name, and names it.
 */
export function scopeOf(
  template: Template,
  stackName: string,
  find: (logicalId: string) => CreatedResource | undefined,
): Scope {
  const pseudo: Readonly<Record<string, unknown>> = {
    'AWS::Region': region,
    'AWS::AccountId': accountId,
    'AWS::Partition': 'aws',
    'AWS::URLSuffix': 'amazonaws.com',
    'AWS::StackName': stackName,
    'AWS::StackId': `arn:aws:cloudformation:${region}:${accountId}:stack/${stackName}/local`,
    'AWS::NotificationARNs': [],
    'AWS::NoValue': noValue,
  };
  const resource = (logicalId: string): CreatedResource => {
    const known = find(logicalId);
    if (!known) throw new Error(`${logicalId} is neither a parameter nor a created resource`);
    return known;
  };
  const evaluating = new Set<string>();
  const scope: Scope = {
    ref: (name) => {
      if (Object.hasOwn(pseudo, name)) return pseudo[name];
      const parameter = Object.hasOwn(template.Parameters, name) ? template.Parameters[name] : undefined;
      if (!parameter) return resource(name).ref;
      if (parameter.Default === undefined) throw new Error(`Parameter ${name} has no default`);
      return parameter.Default;
    },
    attribute: (logicalId, attribute) => resource(logicalId).attribute(attribute),
    condition: (name) => {
      if (!Object.hasOwn(template.Conditions, name)) throw new Error(`There is no condition ${name}`);
      if (evaluating.has(name)) throw new Error(`Conditions refer to each other in a cycle: ${cycle([...evaluating])}`);
      evaluating.add(name);
      try {
        return isTrue(template.Conditions[name], scope);
      } finally {
        evaluating.delete(name);
      }
    },
    mapping: (map, top, second) => {
      const value = template.Mappings[map]?.[top]?.[second];
      if (value === undefined) throw new Error(`There is no mapping ${map}.${top}.${second}`);
      return resolve(value, scope);
    },
  };
  return scope;
}

function cycle(members: readonly string[]): string {
  return [...members, members[0]].join(' → ');
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** The parts of a template that have quotas. */
interface Sections {
  readonly Description: string;
  readonly Resources: object;
  readonly Outputs: object;
  readonly Parameters: object;
  readonly Mappings: object;
}

const MAX_RESOURCES = 500;
const MAX_OUTPUTS = 200;
const MAX_PARAMETERS = 200;
const MAX_MAPPINGS = 200;
/** Of a template in S3, where the CDK uploads it. */
const MAX_TEMPLATE_BYTES = 1024 * 1024;
const MAX_DESCRIPTION_BYTES = 1024;

/**
 * Checks a template against the quotas that CloudFormation checks before it creates anything: user guide, "Understand
 * CloudFormation quotas".
 * @param bytes size of the template file
 * @throws Error naming the exceeded quota
 */
export function checkTemplateLimits(template: Sections, bytes: number): void {
  const counts: readonly (readonly [what: string, number: number, most: number])[] = [
    ['resources', Object.keys(template.Resources).length, MAX_RESOURCES],
    ['outputs', Object.keys(template.Outputs).length, MAX_OUTPUTS],
    ['parameters', Object.keys(template.Parameters).length, MAX_PARAMETERS],
    ['mappings', Object.keys(template.Mappings).length, MAX_MAPPINGS],
    ['bytes of description', Buffer.byteLength(template.Description), MAX_DESCRIPTION_BYTES],
    ['bytes', bytes, MAX_TEMPLATE_BYTES],
  ];
  const exceeded = counts.find(([, number, most]) => number > most);
  if (exceeded) throw new Error(`The template has ${exceeded[1]} ${exceeded[0]}, CloudFormation allows ${exceeded[2]}`);
  const invalidId = Object.keys(template.Resources).find((id) => !/^[A-Za-z0-9]{1,255}$/.test(id));
  if (invalidId !== undefined)
    throw new Error(`${invalidId} is not a valid logical id: CloudFormation allows letters and digits`);
}
