/** Topic rules: AWS IoT Core developer guide, "Rules for AWS IoT" and "Lambda" (action). */
import * as z from 'zod';
import type { Meter } from '../../billing/meter';
import type { Lambda } from '../../lambda';
import { propertiesOf } from '../../cloudformation/properties';
import type { Resource } from '../../service';
import type { AsyncInvoker } from '../../lambda/async-invoker';
import { compileRuleSql, type RuleMessage, type RuleSql } from './rule-sql';
import { ruleCharges } from '../charges';
import { topicMatches } from '../topic';

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
