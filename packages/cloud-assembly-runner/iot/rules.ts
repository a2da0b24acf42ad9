/** Topic rules: AWS IoT Core developer guide, "Rules for AWS IoT", "Lambda" (action) and "AWS IoT SQL reference" (a subset). */
import * as z from 'zod';
import type { Meter } from '../billing/meter';
import type { Lambda } from '../lambda';
import { propertiesOf } from '../cloudformation/properties';
import type { Resource } from '../service';
import type { AsyncInvoker } from '../lambda/async-invoker';
import { ruleCharges } from './charges';
import { topicMatches } from './topic';

const topicRuleProperties = z.object({
  RuleName: z
    .string()
    .regex(/^\w{1,128}$/)
    .optional(),
  TopicRulePayload: z.object({
    Sql: z.string(),
    Actions: z.array(z.strictObject({ Lambda: z.object({ FunctionArn: z.string() }) })),
    RuleDisabled: z.boolean().default(false),
  }),
});

export interface Rules {
  /** Adds a rule. @returns its name @throws Error for unsupported SQL and actions */
  add(resource: Resource): string;
  /** Runs the actions of every rule whose filter matches the message, and whose condition holds. */
  route(message: RuleMessage): void;
}

interface RulesOptions {
  readonly lambda: Pick<Lambda, 'permits'>;
  readonly asyncInvoker: AsyncInvoker;
  readonly meter: Pick<Meter, 'charge'>;
  arnOf(ruleName: string): string;
  log(line: string): void;
}

/**
 * The rules engine. Functions are invoked asynchronously, if their permissions allow it; where AWS would run a rule's error
 * action, a line is logged.
 */
export function createRules({ lambda, asyncInvoker, arnOf, meter, log }: RulesOptions): Rules {
  const rules: { name: string; sql: RuleSql; functionArns: readonly string[] }[] = [];

  function run(name: string, functionArn: string, event: unknown): void {
    if (lambda.permits(functionArn, 'iot.amazonaws.com', arnOf(name))) asyncInvoker.invoke(functionArn, event);
    else log(`${arnOf(name)}: no AWS::Lambda::Permission allows it to invoke ${functionArn}`);
  }

  function eventOf(name: string, sql: RuleSql, message: RuleMessage) {
    try {
      return sql.select(message);
    } catch (error) {
      log(`${arnOf(name)} failed on a message: ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    }
  }

  return {
    add(resource) {
      const { RuleName: name = resource.logicalId, TopicRulePayload: payload } = propertiesOf(
        resource,
        topicRuleProperties,
      );
      const sql = compileRuleSql(payload.Sql);
      const functionArns = payload.Actions.map((action) => action.Lambda.FunctionArn);
      if (!payload.RuleDisabled) rules.push({ name, sql, functionArns });
      return name;
    },

    route(message) {
      for (const { name, sql, functionArns } of rules) {
        if (!topicMatches(sql.filter, message.topic)) continue;
        const event = eventOf(name, sql, message);
        const called = event === undefined ? [] : functionArns;
        meter.charge(name, ruleCharges(message.payload, called.length));
        for (const functionArn of called) run(name, functionArn, event);
      }
    },
  };
}

/** Input of a rule. */
export interface RuleMessage {
  readonly topic: string;
  /** Client id of the publisher; undefined when AWS or an API call published it. */
  readonly clientId: string | undefined;
  readonly payload: Buffer;
}

interface RuleSql {
  /** Topic filter of the FROM clause. */
  readonly filter: string;
  /**
   * Applies the clauses SELECT and WHERE. @returns undefined when the condition does not hold
   * @throws Error when the payload is not a JSON object
   */
  select(message: RuleMessage): Record<string, unknown> | undefined;
}

type Column = (message: RuleMessage, payload: Record<string, unknown>) => Record<string, unknown>;

const functions: Readonly<Record<string, (message: RuleMessage, level: string) => unknown>> = {
  topic: ({ topic }, level) => (level === '' ? topic : topic.split('/')[Number(level) - 1]),
  clientid: ({ clientId }) => clientId,
  timestamp: () => Date.now(),
};

type Condition = (message: RuleMessage, payload: Record<string, unknown>) => boolean;

/**
 * Compiles `SELECT <columns> FROM '<filter>'`, and optionally `WHERE regexp_matches(<value>, '<pattern>')`. A column is
 * `*`, or a value with or without `AS name`; a value is a field of the payload, `topic()`, `topic(n)`, `clientid()` or
 * `timestamp()`.
 * @throws Error that names anything else
 */
export function compileRuleSql(sql: string): RuleSql {
  const [, columns, filter, where] = /^\s*SELECT\s+(.+?)\s+FROM\s+'([^']+)'(?:\s+WHERE\s+(.+?))?\s*$/is.exec(sql) ?? [];
  if (columns === undefined || filter === undefined)
    throw new Error(`The rule "${sql}" is not supported on this machine`);
  const compiled = columns.split(',').map((text) => compileColumn(text.trim(), sql));
  const holds = where === undefined ? () => true : compileCondition(where, sql);
  return {
    filter,
    select(message) {
      const payload: unknown = JSON.parse(message.payload.toString());
      if (typeof payload !== 'object' || payload === null || Array.isArray(payload))
        throw new Error('the payload is not a JSON object');
      const fields = payload as Record<string, unknown>;
      if (!holds(message, fields)) return undefined;
      return Object.assign({}, ...compiled.map((column) => column(message, fields))) as Record<string, unknown>;
    },
  };
}

function compileColumn(text: string, sql: string): Column {
  if (text === '*') return (_message, payload) => payload;
  const [, source = '', alias] = /^(.+?)(?:\s+AS\s+(\w+))?$/is.exec(text) ?? [];
  const { name, valueOf } = compileValue(source, sql);
  return (message, payload) => ({ [alias ?? name]: valueOf(message, payload) });
}

/**
 * `regexp_matches`: whether a string contains a match of a regular expression of Java, of which those are supported
 * that JavaScript reads in the same way; without a string it is Undefined, which is not true (AWS IoT SQL reference,
 * "Functions", "WHERE clause").
 */
function compileCondition(text: string, sql: string): Condition {
  const [, source, pattern] = /^regexp_matches\(\s*(.+?)\s*,\s*'([^']*)'\s*\)$/is.exec(text) ?? [];
  if (source === undefined || pattern === undefined)
    throw new Error(`"${text}" of the rule "${sql}" is not supported on this machine`);
  const { valueOf } = compileValue(source, sql);
  const expression = new RegExp(pattern, 'u');
  return (message, payload) => {
    const value = valueOf(message, payload);
    return typeof value === 'string' && expression.test(value);
  };
}

function compileValue(text: string, sql: string) {
  const [, name = '', call, level = ''] = /^(\w+)(\(\s*(\d*)\s*\))?$/i.exec(text) ?? [];
  if (call === undefined && name !== '')
    return { name, valueOf: (_message: RuleMessage, payload: Record<string, unknown>) => payload[name] };
  const run = functions[name.toLowerCase()];
  if (!run) throw new Error(`"${text}" of the rule "${sql}" is not supported on this machine`);
  return { name, valueOf: (message: RuleMessage) => run(message, level) };
}
