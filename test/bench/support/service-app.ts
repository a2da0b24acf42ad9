import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib/core';
import { contract, type Contract } from '../../../contract/contract';
import { DroneMissionApiStack } from '../../../lib/stack/drone-mission-api-stack';

/**
 * An app for the service that is to be synthesised.
 * @param folder of the cloud assembly
 * @param options of the deployment; default: none
 */
export function serviceApp(folder: string, options: object = {}): App {
  const { context } = JSON.parse(readFileSync(join(__dirname, '../../..', 'cdk.json'), 'utf8')) as { context: object };
  return new App({
    outdir: folder,
    context: { ...context, ...options, 'aws:cdk:enable-path-metadata': true, 'aws:cdk:enable-asset-metadata': true },
  });
}

/** Adds the service to an app, by default with its own contract. */
export const serviceStack = (app: App, implemented: Contract = contract): DroneMissionApiStack =>
  new DroneMissionApiStack(app, 'DroneMissionApi', { contract: implemented });
