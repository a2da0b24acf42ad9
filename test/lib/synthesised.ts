import { Template } from 'aws-cdk-lib/assertions';
import { endpointTable } from '../../contract/endpoint-table';
import { contract, type Contract } from '../../contract/contract';
import { deploymentOptions } from '../../lib/functions/deployment-options';
import { DroneMissionApiStack, stackName } from '../../lib/stack/drone-mission-api-stack';
import type { EndpointTable } from '../../lib/rest/endpoint-table';
import { newApp } from './new-app';

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
