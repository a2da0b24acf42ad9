import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib/core';
import { contract } from '../contract/contract';
import { DroneMissionApiStack } from '../lib/drone-mission-api-stack';

/**
 * The service as an app that is to be synthesised.
 * @param folder of the cloud assembly
 * @param options of the deployment; default: none
 */
export function serviceApp(
  folder: string,
  options: object = {},
): { readonly app: App; readonly stack: DroneMissionApiStack } {
  const { context } = JSON.parse(readFileSync(join(__dirname, '..', 'cdk.json'), 'utf8')) as { context: object };
  const app = new App({
    outdir: folder,
    context: { ...context, ...options, 'aws:cdk:enable-path-metadata': true, 'aws:cdk:enable-asset-metadata': true },
  });
  return { app, stack: new DroneMissionApiStack(app, 'DroneMissionApi', { contract }) };
}
