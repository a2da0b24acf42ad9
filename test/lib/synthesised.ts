import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Template } from 'aws-cdk-lib/assertions';
import { App } from 'aws-cdk-lib/core';
import { endpointTable } from '../../contract/endpoint-table';
import { contract, type Contract } from '../../contract/contract';
import { deploymentOptions } from '../../lib/foundation/deployment-options';
import { DroneMissionApiStack, stackName } from '../../lib/stack/drone-mission-api-stack';
import type { EndpointTable } from '../../lib/rest/endpoint-routes';
import cdkJson from '../../cdk.json';
import { everyOption } from '../../bin/deployer-policy/every-option';
import { addStacks } from '../../lib/stack/stacks';
import type { OpenApiBody } from '../../lib/rest/openapi-body';

export interface CfnResource {
  readonly Type: string;
  readonly Properties: Readonly<Record<string, unknown>>;
  readonly Metadata?: Readonly<Record<string, string>>;
  readonly DeletionPolicy?: string;
  readonly DependsOn?: readonly string[];
}

/** Two endpoints that share a function, for tests in which the routes don't matter. */
export const smallTable: EndpointTable = {
  'GET /v3/shares': endpointTable['GET /v3/shares'],
  'GET /v3/streams/share': endpointTable['GET /v3/streams/share'],
};
export const smallContract: Contract = { ...contract, endpoints: smallTable };

const cache = new Map<string, Synthesised>();

/** Synthesises the stack with cdk.json's context and the given one. Results are cached: don't change them. */
export function synthesise(context: Record<string, unknown> = {}, endpoints: EndpointTable = endpointTable) {
  const key = JSON.stringify([context, Object.keys(endpoints)]);
  const synthesised = cache.get(key) ?? synthesiseContract({ ...contract, endpoints }, context);
  cache.set(key, synthesised);
  return synthesised;
}

export function synthesiseContract(synthesisedContract: Contract, context: Record<string, unknown> = {}) {
  const metadata = { 'aws:cdk:enable-asset-metadata': true, 'aws:cdk:enable-path-metadata': true };
  const app = newApp({ ...metadata, ...context }, false);
  const stack = new DroneMissionApiStack(app, stackName(deploymentOptions(app.node).stage), {
    contract: synthesisedContract,
  });
  const template = Template.fromStack(stack);
  const resources = template.toJSON().Resources as Record<string, CfnResource>;

  return {
    template,
    outputs: Object.keys(template.toJSON().Outputs as object),
    resources,
    /** Resources of a type by construct path, without the stack's name. */
    byPath: (type: string): Record<string, CfnResource> =>
      Object.fromEntries(
        Object.values(resources)
          .filter(({ Type }) => Type === type)
          .map((resource) => [
            (resource.Metadata?.['aws:cdk:path'] ?? '').replace(/^DroneMissionApi[^/]*\/|\/Resource$/g, ''),
            resource,
          ]),
      ),
  };
}

export type Synthesised = ReturnType<typeof synthesiseContract>;

/** Logical id in a `{Ref}` or `{Fn::GetAtt}`. */
export function referred(value: unknown): string {
  const { Ref, 'Fn::GetAtt': attribute } = value as { Ref?: string; 'Fn::GetAtt'?: [string, string] };
  return Ref ?? attribute?.[0] ?? '';
}

/**
 * Turns off what tests do not read: creation stack traces, which resolve jest's source maps, copies of assets, and the
 * docs site.
 */
const reducedSynthesis = {
  'aws:cdk:disable-stack-trace': true,
  'aws:cdk:disable-creation-stack-traces': true,
  'aws:cdk:disable-asset-staging': true,
  'aws:cdk:bundling-stacks': [],
};

const folders: string[] = [];

afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true })));

/** Creates an app with cdk.json's context and the given one; its output folder is deleted after the test file. */
export function newApp(context: Readonly<Record<string, unknown>> = {}, builtinCloudFormationValidation = true): App {
  const outdir = mkdtempSync(join(tmpdir(), 'cdk.out-'));
  folders.push(outdir);
  return new App({
    // The construct tree, for tools that are not used here, would take a third of the time.
    treeMetadata: false,
    analyticsReporting: false,
    builtinCloudFormationValidation,
    outdir,
    context: { ...reducedSynthesis, ...cdkJson.context, ...context },
  });
}

/** A stack of the app: its name, and its template. */
export interface SynthesisedTemplate {
  readonly stackName: string;
  readonly resources: Readonly<Record<string, CfnResource>>;
  readonly outputs: Readonly<Record<string, { readonly Export?: { readonly Name: unknown } }>>;
}

/** Synthesises the stacks of the app with these options. */
export function templatesWith(options: Readonly<Record<string, string>>): SynthesisedTemplate[] {
  const app = newApp(options, false);
  addStacks(app, contract);
  return app.synth().stacks.map(({ stackName, template }) => {
    const { Resources, Outputs = {} } = template as {
      Resources: SynthesisedTemplate['resources'];
      Outputs?: SynthesisedTemplate['outputs'];
    };
    return { stackName, resources: Resources, outputs: Outputs };
  });
}

let every: SynthesisedTemplate[] | undefined;

/** The stacks without options and with every one, which together have every resource of the app; once per test file. */
export const everyTemplate = (): readonly SynthesisedTemplate[] =>
  (every ??= [templatesWith({}), templatesWith(everyOption)].flat());

/** A method of API Gateway as the body of the REST API declares it. */
export type Operation = OpenApiBody['paths'][string][string];

/** The OpenAPI document in the template, with references as `{Ref}` and joined texts as `{Fn::Join}`. */
export function bodyOf({ byPath }: Pick<Synthesised, 'byPath'>): OpenApiBody {
  const [api] = Object.values(byPath('AWS::ApiGateway::RestApi'));
  return api?.Properties['Body'] as OpenApiBody;
}

/** Its operations by method and path, such as `ANY /v3/jobs/{path+}`. */
export function operationsOf(body: OpenApiBody): ReadonlyMap<string, Operation> {
  const all = Object.entries(body.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([key, operation]) => {
      const method = key === 'x-amazon-apigateway-any-method' ? 'ANY' : key.toUpperCase();
      return [`${method} ${path}`, operation] as const;
    }),
  );
  return new Map(all);
}
