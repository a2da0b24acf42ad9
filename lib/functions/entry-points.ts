import { Stage } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Folders of `lambdas/` that hold a file for each function, named by what calls it. */
export const entryPointFolders = ['authorizer', 'http', 'mqtt', 'queue', 'schedule', 'socket', 'stream'] as const;

/** Every function's file below `lambdas/`, without `.ts`: `http/jobs/create-job`. */
export function entryPoints(): string[] {
  const lambdas = join(__dirname, '../../lambdas');
  return entryPointFolders.flatMap((folder) =>
    readdirSync(join(lambdas, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => `${folder}/${name.slice(0, -'.ts'.length)}`),
  );
}

/** Where the bundles of all functions of an app are: `<folder>/<entry>/index.js`. */
export const bundlesFolder = (scope: Construct): string => join(Stage.of(scope)?.assetOutdir ?? '', 'functions');
