/** Rules, of templates and of calls: EventBridge user guide, "Rules in Amazon EventBridge" and "Targets". */
import { join } from 'node:path';
import * as z from 'zod';
import { propertiesOf } from '../cloudformation/properties';
import { accountId } from '../cloudformation/template';
import type { Resource } from '../service';
import { parseEventPattern, type EventPattern } from './event-pattern';
import { openDataFile } from '../data-folder/atomic-file';

/** A name of a rule: EventBridge API reference, PutRule. Ids of targets have the same form. */
export const RULE_NAME = /^[\w.-]{1,64}$/;

/** EventBridge user guide, "Amazon EventBridge quotas". */
export const MAX_TARGETS = 5;

const isOfOtherAccount = (arn: string) => arn.split(':')[4] !== accountId;

/** A target as templates and PutTargets have it: EventBridge API reference, Target. */
export const targetDefinition = z
  .strictObject({
    Id: z.string().regex(RULE_NAME),
    Arn: z
      .string()
      .refine(
        (arn) => /^arn:[^:]+:(lambda|sqs):/.test(arn) || (/^arn:[^:]+:events:/.test(arn) && isOfOtherAccount(arn)),
        'only functions and queues are supported as targets',
      ),
    /** Of a target of another account, which does not exist on this machine. */
    RoleArn: z.string().optional(),
    Input: z.string().refine(isJson, 'an input must be JSON').optional(),
    InputPath: z
      .string()
      .refine((path) => parseInputPath(path) !== undefined, 'only $ and $.name.name are supported')
      .optional(),
    RetryPolicy: z
      .strictObject({
        MaximumRetryAttempts: z.number().int().min(0).max(185).optional(),
        MaximumEventAgeInSeconds: z.number().int().min(60).max(86_400).optional(),
      })
      .optional(),
    DeadLetterConfig: z.strictObject({ Arn: z.string().includes(':sqs:') }).optional(),
  })
  .refine(({ Input, InputPath }) => Input === undefined || InputPath === undefined, 'Input or InputPath, not both')
  .refine(
    ({ Arn, RoleArn }) => RoleArn === undefined || isOfOtherAccount(Arn),
    'RoleArn is supported for targets of other accounts only',
  );

/** A rule as templates, calls and the data folder have it. Schedules are not supported: use EventBridge Scheduler. */
const ruleDefinition = z.strictObject({
  Name: z.string().regex(RULE_NAME),
  Description: z.string().max(512).optional(),
  /** Name of the bus. */
  EventBusName: z.string(),
  /** JSON. */
  EventPattern: z.string(),
  State: z.enum(['ENABLED', 'DISABLED']),
  Targets: z.array(targetDefinition).max(MAX_TARGETS),
});

type RuleDefinition = z.output<typeof ruleDefinition>;

/** Unsupported options are refused by name. */
const ruleProperties = ruleDefinition.extend({
  Name: ruleDefinition.shape.Name.optional(),
  /** Name or ARN. */
  EventBusName: z.string().default('default'),
  EventPattern: z.record(z.string(), z.unknown()),
  State: ruleDefinition.shape.State.default('ENABLED'),
  Targets: ruleDefinition.shape.Targets.default([]),
  Tags: z.unknown().optional(),
});

export interface Target {
  readonly arn: string;
  /** Whether the target is of another account, so that there is none on this machine. */
  readonly isElsewhere: boolean;
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
  readonly definition: RuleDefinition;
}

/**
 * Parses a rule of a template.
 * @throws Error for unsupported targets and options
 */
export function readRule(resource: Resource): RuleDefinition {
  const { Tags: _tags, ...properties } = propertiesOf(resource, ruleProperties);
  return {
    ...properties,
    Name: properties.Name ?? resource.logicalId.slice(0, 64),
    EventBusName: busNameIn(properties.EventBusName),
    EventPattern: JSON.stringify(properties.EventPattern),
  };
}

/**
 * Compiles a rule.
 * @param arnOf ARN of a path `bus/rule` or `rule`
 * @throws Error for an invalid or unsupported pattern
 */
export function compileRule(definition: RuleDefinition, arnOf: (path: string) => string): Rule {
  const { Name: name, EventBusName: busName, State, EventPattern: pattern, Targets } = definition;
  return {
    name,
    busName,
    definition,
    enabled: State === 'ENABLED',
    arn: arnOf(rulePath(busName, name)),
    matches: parseEventPattern(pattern),
    targets: Targets.map(({ Arn: arn, Input, InputPath, RetryPolicy = {}, DeadLetterConfig }) => ({
      arn,
      isElsewhere: isOfOtherAccount(arn),
      inputOf: inputReader(Input, InputPath),
      maxRetries: RetryPolicy.MaximumRetryAttempts ?? 185,
      maxAgeMs: (RetryPolicy.MaximumEventAgeInSeconds ?? 86_400) * 1000,
      ...(DeadLetterConfig && { deadLetterArn: DeadLetterConfig.Arn }),
    })),
  };
}

/** Path of a rule in its ARN. */
export function rulePath(busName: string, name: string): string {
  return busName === 'default' ? name : `${busName}/${name}`;
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

/**
 * Parses an InputPath, which selects the part of an event that a target receives: `$` for all of it, `$.detail.id` for
 * a field (EventBridge user guide, "Input transformation"). Undefined for any other path.
 */
function parseInputPath(path: string): ((event: unknown) => unknown) | undefined {
  if (!/^\$(\.[\w-]+)*$/.test(path)) return undefined;
  const names = path.split('.').slice(1);
  return (event) =>
    names.reduce<unknown>(
      (value, name) =>
        typeof value === 'object' && value !== null && Object.hasOwn(value, name)
          ? (value as Record<string, unknown>)[name]
          : undefined,
      event,
    );
}

/**
 * The rules of an account. Those of the template are created anew at each start, as it says; those that were created by calls are
 * kept from one start to the next.
 */
export interface RuleRegistry {
  of(busName: string): readonly Rule[];
  find(busName: string, name: string): Rule | undefined;
  /**
   * Creates or replaces a rule.
   * @param isFromTemplate default: as the rule that it replaces
   * @throws Error for an invalid or unsupported pattern
   */
  put(definition: RuleDefinition, isFromTemplate?: boolean): Rule;
  remove(rule: Rule): void;
  /** Creates the rules of earlier starts. @returns those whose bus does not exist any more, which are kept and have no effect */
  restore(hasBus: (name: string) => boolean): readonly RuleDefinition[];
}

/**
 * @param dataFolder where the rules of calls are kept
 * @param arnOf ARN of a path `bus/rule` or `rule`
 */
export function createRuleRegistry(dataFolder: string, arnOf: (path: string) => string): RuleRegistry {
  const file = openDataFile(join(dataFolder, 'rules.json'), z.array(ruleDefinition), []);
  const rules = new Map<string, Rule>();
  const ofTemplate = new Set<string>();
  const ruleKey = ({ EventBusName, Name }: RuleDefinition) => rulePath(EventBusName, Name);

  /** Stores rules of calls before they take effect. Changes to rules of the template end with the stack. */
  const save = (next: readonly Rule[]) =>
    file.write(next.map(({ definition }) => definition).filter((one) => !ofTemplate.has(ruleKey(one))));

  return {
    of: (busName) => [...rules.values()].filter((rule) => rule.busName === busName),
    find: (busName, name) => rules.get(rulePath(busName, name)),

    put(definition, isFromTemplate = ofTemplate.has(ruleKey(definition))) {
      const key = ruleKey(definition);
      const rule = compileRule(definition, arnOf);
      if (isFromTemplate) ofTemplate.add(key);
      else save([...new Map(rules).set(key, rule).values()]);
      rules.set(key, rule);
      return rule;
    },

    remove({ definition }) {
      const key = ruleKey(definition);
      if (!ofTemplate.has(key)) save([...rules].filter(([other]) => other !== key).map(([, rule]) => rule));
      rules.delete(key);
    },

    restore(hasBus) {
      const kept = file.read().filter((one) => !rules.has(ruleKey(one)));
      for (const one of kept) rules.set(ruleKey(one), compileRule(one, arnOf));
      return kept.filter(({ EventBusName }) => !hasBus(EventBusName));
    },
  };
}
