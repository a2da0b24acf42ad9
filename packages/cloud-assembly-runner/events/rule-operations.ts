/** Operations on rules and their targets: EventBridge API reference. */
import * as z from 'zod';
import { parseEventPattern } from './event-pattern';
import { EventsError, read, type EventsOperation, type Permission } from './api';
import { busNameIn, MAX_TARGETS, RULE_NAME, rulePath, targetDefinition, type Rule, type RuleRegistry } from './rules';

export interface RuleOperationsOptions {
  readonly rules: RuleRegistry;
  readonly accountId: string;
  hasBus(name: string): boolean;
  /** ARN of a path `bus/rule` or `rule`. */
  ruleArn(path: string): string;
}

/** Bus of a request, by name or ARN. */
const onBus = z.object({ EventBusName: z.string().default('default').transform(busNameIn) });
const name = z.string().regex(RULE_NAME);
const putInput = onBus.extend({
  Name: name,
  Description: z.string().max(512).optional(),
  EventPattern: z.string().optional(),
  ScheduleExpression: z.string().default(''),
  State: z.enum(['ENABLED', 'DISABLED']).default('ENABLED'),
});
/** Most operations call the rule `Name`, those on targets `Rule`. */
const named = onBus.extend({ Name: name });
const ofRule = onBus.extend({ Rule: name });
const page = { Limit: z.number().int().min(1).max(100).default(100), NextToken: z.string().optional() };
const listInput = onBus.extend({ ...page, NamePrefix: z.string().default('') });
const listTargetsInput = ofRule.extend(page);
const targetsInput = ofRule.extend({
  Targets: z
    .array(z.looseObject({ Id: name, Arn: z.string().regex(/^arn:[^:]*:[^:]*:[^:]*:[^:]*:.+/) }))
    .min(1)
    .max(100),
});
const removeInput = ofRule.extend({ Ids: z.array(z.string()).min(1).max(100) });

/** Fields of a pattern that are condition keys of PutRule (service authorization reference, "Amazon EventBridge"). */
const patternFields = z.object({ source: z.unknown().optional(), 'detail-type': z.unknown().optional() });

/** The operations by name. Rules are changed as a whole: targets, once put, stay when PutRule changes the rule. */
export function ruleOperations(options: RuleOperationsOptions): Readonly<Record<string, EventsOperation>> {
  const { rules, accountId, hasBus, ruleArn } = options;

  function checkBus(busName: string): void {
    if (hasBus(busName)) return;
    throw new EventsError('ResourceNotFoundException', `Event bus ${busName} does not exist.`);
  }

  function ruleIn(busName: string, ruleName: string): Rule {
    checkBus(busName);
    const rule = rules.find(busName, ruleName);
    if (rule) return rule;
    throw new EventsError('ResourceNotFoundException', `Rule ${ruleName} does not exist on EventBus ${busName}.`);
  }

  /** The permission for an action on the rule that a request names, under either name; on all when it names none. */
  function permission(operation: string, input: unknown, context: Permission['context'] = {}): readonly Permission[] {
    const { data } = z
      .union([named, ofRule.transform(({ Rule, ...more }) => ({ ...more, Name: Rule }))])
      .safeParse(input);
    const resource = data ? ruleArn(rulePath(data.EventBusName, data.Name)) : '*';
    return [{ action: `events:${operation}`, resource, context: { 'events:creatorAccount': [accountId], ...context } }];
  }

  function putRule(input: unknown): object {
    const { EventBusName, Name, Description, EventPattern, ScheduleExpression, State } = read(putInput, input);
    checkBus(EventBusName);
    if (ScheduleExpression !== '') {
      throw new EventsError('ValidationException', 'ScheduleExpression is not supported on this machine.');
    }
    if (EventPattern === undefined) {
      const message = 'Parameter(s) EventPattern or ScheduleExpression must be specified.';
      throw new EventsError('ValidationException', message);
    }
    checkPattern(EventPattern);
    const Targets = rules.find(EventBusName, Name)?.definition.Targets ?? [];
    return { RuleArn: rules.put({ EventBusName, Name, Description, EventPattern, State, Targets }).arn };
  }

  function putTargets(input: unknown): object {
    const { EventBusName, Rule, Targets } = read(targetsInput, input);
    const { definition } = ruleIn(EventBusName, Rule);
    const targets = new Map(definition.Targets.map((target) => [target.Id, target]));
    const FailedEntries: object[] = [];
    for (const target of Targets) {
      const { success, data, error } = targetDefinition.safeParse(target);
      if (success) targets.set(data.Id, data);
      else FailedEntries.push(failedEntry(target.Id, 'ValidationException', z.prettifyError(error)));
    }
    if (targets.size > MAX_TARGETS) {
      const message = `The requested resource exceeds the maximum number allowed: ${MAX_TARGETS} targets of a rule.`;
      throw new EventsError('LimitExceededException', message);
    }
    rules.put({ ...definition, Targets: [...targets.values()] });
    return { FailedEntryCount: FailedEntries.length, FailedEntries };
  }

  function removeTargets(input: unknown): object {
    const { EventBusName, Rule, Ids } = read(removeInput, input);
    const { definition } = ruleIn(EventBusName, Rule);
    const FailedEntries = Ids.filter((id) => !definition.Targets.some(({ Id }) => Id === id)).map((id) =>
      failedEntry(id, 'ResourceNotFoundException', `Rule '${Rule}' does not have a target with the Id '${id}'.`),
    );
    rules.put({ ...definition, Targets: definition.Targets.filter(({ Id }) => !Ids.includes(Id)) });
    return { FailedEntryCount: FailedEntries.length, FailedEntries };
  }

  function deleteRule(input: unknown): object {
    const { EventBusName, Name } = read(named, input);
    checkBus(EventBusName);
    const rule = rules.find(EventBusName, Name);
    // To delete a rule that is not there is no error.
    if (!rule) return {};
    if (rule.targets.length > 0) {
      throw new EventsError('ValidationException', "Rule can't be deleted since it has targets.");
    }
    rules.remove(rule);
    return {};
  }

  function listRules(input: unknown): object {
    const { EventBusName, NamePrefix, Limit, NextToken } = read(listInput, input);
    checkBus(EventBusName);
    const found = rules.of(EventBusName).filter((rule) => rule.name.startsWith(NamePrefix));
    const { items, next } = pageOf(found, (rule) => rule.name, Limit, NextToken);
    return { Rules: items.map(viewOf), ...next };
  }

  function listTargets(input: unknown): object {
    const { EventBusName, Rule, Limit, NextToken } = read(listTargetsInput, input);
    const { Targets } = ruleIn(EventBusName, Rule).definition;
    const { items, next } = pageOf(Targets, ({ Id }) => Id, Limit, NextToken);
    return { Targets: items, ...next };
  }

  const operation = (
    operationName: string,
    run: (input: unknown) => object,
    permissions = (input: unknown) => permission(operationName, input),
  ): readonly [string, EventsOperation] => [operationName, { permissions, run: (input) => ({ answer: run(input) }) }];

  return Object.fromEntries([
    operation('DeleteRule', deleteRule),
    operation('DescribeRule', (input) => {
      const { EventBusName, Name } = read(named, input);
      return { ...viewOf(ruleIn(EventBusName, Name)), CreatedBy: accountId };
    }),
    // It has no resource types (service authorization reference, "Amazon EventBridge").
    operation('ListRules', listRules, () => [{ action: 'events:ListRules', resource: '*' }]),
    operation('ListTargetsByRule', listTargets),
    operation('PutRule', putRule, (input) => permission('PutRule', input, patternContext(input))),
    operation('PutTargets', putTargets, (input) => {
      const arns = targetsInput.safeParse(input).data?.Targets.map(({ Arn }) => Arn) ?? [];
      return permission('PutTargets', input, { 'events:TargetArn': arns });
    }),
    operation('RemoveTargets', removeTargets),
  ]);
}

/** @throws EventsError `InvalidEventPatternException` with the reason */
function checkPattern(pattern: string): void {
  try {
    parseEventPattern(pattern);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new EventsError('InvalidEventPatternException', `Event pattern is not valid. Reason: ${reason}`);
  }
}

function viewOf({ arn, definition }: Rule): object {
  const { Targets: _targets, ...rule } = definition;
  return { Arn: arn, ...rule };
}

function failedEntry(TargetId: string, ErrorCode: string, ErrorMessage: string): object {
  return { TargetId, ErrorCode, ErrorMessage };
}

/** Values of the condition keys that a pattern has, such as `events:source`. */
function patternContext(input: unknown): Record<string, readonly string[]> {
  try {
    const fields = patternFields.parse(JSON.parse(putInput.parse(input).EventPattern ?? '{}'));
    const texts = (value: unknown) =>
      Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];
    return { 'events:source': texts(fields.source), 'events:detail-type': texts(fields['detail-type']) };
  } catch {
    return {};
  }
}

/** A page of a list, sorted by key. The token is the key of the last item of the page before. */
function pageOf<T>(all: readonly T[], keyOf: (item: T) => string, limit: number, token: string | undefined) {
  const after = token === undefined ? '' : Buffer.from(token, 'base64url').toString();
  const left = all.filter((item) => keyOf(item) > after).sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
  const items = left.slice(0, limit);
  const last = items.at(-1);
  const isLast = items.length === left.length || last === undefined;
  return { items, next: isLast ? {} : { NextToken: Buffer.from(keyOf(last)).toString('base64url') } };
}
