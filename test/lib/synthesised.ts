import { Template } from 'aws-cdk-lib/assertions';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { endpointTable } from '../../contract/access';
import { deploymentChoices } from '../../lib/deployment-choices';
import { DroneMissionApiStack, stackName } from '../../lib/drone-mission-api-stack';
import type { EndpointTable } from '../../lib/rest/endpoint-table';
import { newApp } from './new-app';

export interface CfnResource {
  readonly Type: string;
  readonly Properties: Readonly<Record<string, unknown>>;
  readonly Metadata?: Readonly<Record<string, string>>;
  readonly DeletionPolicy?: string;
  readonly DependsOn?: readonly string[];
}

/** Two endpoints that share a function: enough where the routes don't matter. */
export const smallTable: EndpointTable = {
  'GET /v3/shares': endpointTable['GET /v3/shares'],
  'GET /v3/streams/share': endpointTable['GET /v3/streams/share'],
};

const known = new Map<string, Synthesised>();

/** Synthesises the stack with cdk.json's context and the given one; once for each, so nobody may change the result. */
export function synthesise(context: Record<string, unknown> = {}, endpoints: EndpointTable = endpointTable) {
  const key = JSON.stringify([context, Object.keys(endpoints)]);
  const synthesised = known.get(key) ?? synthesiseAnew(context, endpoints);
  known.set(key, synthesised);
  return synthesised;
}

function synthesiseAnew(context: Record<string, unknown>, endpoints: EndpointTable) {
  const metadata = { 'aws:cdk:enable-asset-metadata': true, 'aws:cdk:enable-path-metadata': true };
  const app = newApp({ ...metadata, ...context }, false);
  const stack = new DroneMissionApiStack(app, stackName(deploymentChoices(app.node).stage), { endpoints });
  const template = Template.fromStack(stack);
  const resources = template.toJSON().Resources as Record<string, CfnResource>;

  return {
    template,
    outputs: Object.keys(template.toJSON().Outputs as object),
    resources,
    /** Resources of a type by their path among the constructs, without the stack's name. */
    byPath: (type: string): Record<string, CfnResource> =>
      Object.fromEntries(
        Object.values(resources)
          .filter(({ Type }) => Type === type)
          .map((resource) => [
            (resource.Metadata?.['aws:cdk:path'] ?? '').replace(/^DroneMissionApi[^/]*\/|\/Resource$/g, ''),
            resource,
          ]),
      ),
    /** Folder of the bundles, one folder for each entry. */
    bundles: join(app.outdir, 'functions'),
    /** Folder of a function's code. */
    codeOf: (lambda: CfnResource): string => {
      const folder = resolve(app.outdir, lambda.Metadata?.['aws:asset:path'] ?? '?');
      if (!existsSync(folder)) throw new Error(`${folder} is not there`);
      return folder;
    },
  };
}

export type Synthesised = ReturnType<typeof synthesiseAnew>;

/** Logical id that `{Ref}` or `{Fn::GetAtt}` names. */
export function referred(value: unknown): string {
  const { Ref, 'Fn::GetAtt': attribute } = value as { Ref?: string; 'Fn::GetAtt'?: [string, string] };
  return Ref ?? attribute?.[0] ?? '';
}
