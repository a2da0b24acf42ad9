import { join } from 'node:path';
import * as z from 'zod';
import { resolveDynamicReferences } from 'cloud-assembly-runner/cloudformation/dynamic-references';
import { resolve } from 'cloud-assembly-runner/cloudformation/intrinsics';
import {
  accountId,
  region,
  scopeOf,
  type Assembly,
  type CreatedResource,
} from 'cloud-assembly-runner/cloudformation/template';

/** A deployed function: its code and its configuration. */
export interface DeployedFunction {
  readonly logicalId: string;
  readonly runtime: string;
  readonly folder: string;
  readonly handler: string;
  readonly arn: string;
  readonly timeoutMs: number;
  readonly environment: Readonly<Record<string, string>>;
}

const shape = z.object({
  Runtime: z.string(),
  Handler: z.string(),
  Timeout: z.number().default(3),
  MemorySize: z.number().default(128),
  Environment: z.object({ Variables: z.record(z.string(), z.string()).default({}) }).default({ Variables: {} }),
  LoggingConfig: z.object({ LogFormat: z.string().default('Text') }).default({ LogFormat: 'Text' }),
});
const metadata = z.object({ 'aws:asset:path': z.string() });

/** Value of every secret of the account. */
export const SECRET = 'known-to-few';

/** Every function of a synthesised app; references to other resources get made-up values of their format. */
export function functionsOf({ template, stackName, folder }: Assembly): DeployedFunction[] {
  const madeUp = (logicalId: string): CreatedResource => ({
    ref: logicalId,
    attribute: (name) =>
      name.endsWith('URL')
        ? `https://${logicalId.toLowerCase()}.example.com`
        : `arn:aws:service:${region}:${accountId}:${logicalId}`,
  });
  const scope = scopeOf(template, stackName, (logicalId) =>
    template.Resources[logicalId] ? madeUp(logicalId) : undefined,
  );
  return Object.entries(template.Resources)
    .filter(([, { Type }]) => Type === 'AWS::Lambda::Function')
    .map(([logicalId, { Properties, Metadata }]) => {
      const properties = resolve({ ...Properties, Role: '', Code: '', Layers: [] }, scope);
      const own = shape.parse(resolveDynamicReferences(properties, () => SECRET));
      const name = `${stackName}-${logicalId}`;
      return {
        logicalId,
        runtime: own.Runtime,
        folder: join(folder, metadata.parse(Metadata)['aws:asset:path']),
        handler: own.Handler,
        arn: `arn:aws:lambda:${region}:${accountId}:function:${name}`,
        timeoutMs: own.Timeout * 1000,
        environment: { ...own.Environment.Variables, ...ofTheRuntime(name, own) },
      };
    });
}

/** Lambda developer guide, "Defined runtime environment variables". */
function ofTheRuntime(name: string, { Runtime, MemorySize, LoggingConfig }: z.output<typeof shape>) {
  return {
    AWS_EXECUTION_ENV: `AWS_Lambda_${Runtime}`,
    AWS_REGION: region,
    AWS_DEFAULT_REGION: region,
    AWS_LAMBDA_FUNCTION_NAME: name,
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(MemorySize),
    AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${name}`,
    AWS_LAMBDA_LOG_STREAM_NAME: '2026/01/01/[$LATEST]0123456789abcdef0123456789abcdef',
    AWS_LAMBDA_LOG_FORMAT: LoggingConfig.LogFormat,
    AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
    AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'example',
    AWS_SESSION_TOKEN: 'example',
    TZ: ':UTC',
    LANG: 'en_US.UTF-8',
  };
}
