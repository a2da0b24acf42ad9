/** AWS::Events::Rule: EventBridge user guide, "Rules in Amazon EventBridge" and "Targets". */
import * as z from 'zod';
import { parseEventPattern, type EventPattern } from './event-pattern';
import { propertiesOf } from '../cloudformation/properties';
import type { Resource } from '../service';
import { parseInputPath } from './input-path';

const target = z
  .strictObject({
    Id: z.string().regex(/^[\w.-]{1,64}$/),
    Arn: z.string().regex(/^arn:[^:]+:(lambda|sqs):/, 'only functions and queues are supported as targets'),
    Input: z.string().refine(isJson, 'an input must be JSON').optional(),
    InputPath: z
      .string()
      .refine((path) => parseInputPath(path) !== undefined, 'only $ and $.name.name are supported')
      .optional(),
    RetryPolicy: z
      .strictObject({
        MaximumRetryAttempts: z.number().int().min(0).max(185).default(185),
        MaximumEventAgeInSeconds: z.number().int().min(60).max(86_400).default(86_400),
      })
      .default({ MaximumRetryAttempts: 185, MaximumEventAgeInSeconds: 86_400 }),
    DeadLetterConfig: z.strictObject({ Arn: z.string().includes(':sqs:') }).optional(),
  })
  .refine(({ Input, InputPath }) => Input === undefined || InputPath === undefined, 'Input or InputPath, not both');

/** Schedule rules are not supported (use EventBridge Scheduler); unsupported options are refused by name. */
const ruleProperties = z.strictObject({
  Name: z
    .string()
    .regex(/^[\w.-]{1,64}$/)
    .optional(),
  Description: z.string().max(512).optional(),
  /** Name or ARN. */
  EventBusName: z.string().default('default'),
  EventPattern: z.record(z.string(), z.unknown()),
  State: z.enum(['ENABLED', 'DISABLED']).default('ENABLED'),
  Targets: z.array(target).max(5).default([]),
  Tags: z.unknown().optional(),
});

export interface Target {
  readonly arn: string;
  /** Returns the part of an event that the target receives. */
  inputOf(event: unknown): unknown;
  readonly maxRetries: number;
  readonly maxAgeMs: number;
  readonly deadLetterArn?: string;
}

export interface Rule {
  readonly name: string;
  readonly arn: string;
  readonly busName: string;
  readonly enabled: boolean;
  readonly matches: EventPattern;
  readonly targets: readonly Target[];
}

/**
 * Parses a rule.
 * @param arnOf ARN of a path `bus/rule` or `rule`
 * @throws Error for unsupported patterns, targets and options
 */
export function readRule(resource: Resource, arnOf: (path: string) => string): Rule {
  const properties = propertiesOf(resource, ruleProperties);
  const { Name: name = resource.logicalId.slice(0, 64), Targets } = properties;
  const busName = busNameIn(properties.EventBusName);
  return {
    name,
    busName,
    enabled: properties.State === 'ENABLED',
    arn: arnOf(busName === 'default' ? name : `${busName}/${name}`),
    matches: parseEventPattern(JSON.stringify(properties.EventPattern)),
    targets: Targets.map(({ Arn: arn, Input, InputPath, RetryPolicy, DeadLetterConfig }) => ({
      arn,
      inputOf: inputReader(Input, InputPath),
      maxRetries: RetryPolicy.MaximumRetryAttempts,
      maxAgeMs: RetryPolicy.MaximumEventAgeInSeconds * 1000,
      ...(DeadLetterConfig && { deadLetterArn: DeadLetterConfig.Arn }),
    })),
  };
}

/** Bus name from a name or an ARN. */
export function busNameIn(nameOrArn: string): string {
  return nameOrArn.startsWith('arn:') ? nameOrArn.slice(nameOrArn.indexOf('/') + 1) : nameOrArn;
}

function inputReader(input: string | undefined, path: string | undefined): (event: unknown) => unknown {
  if (input !== undefined) return () => JSON.parse(input) as unknown;
  return (path === undefined ? undefined : parseInputPath(path)) ?? ((event) => event);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
