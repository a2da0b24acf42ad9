/** Topic rules: AWS IoT Core developer guide, "Rules for AWS IoT" and "Lambda" (action). */
import * as z from 'zod';
import type { Lambda } from '../lambda';
import { propertiesOf } from '../properties';
import type { Resource } from '../service';
import type { LaterCalls } from '../lambda/later-calls';
import { compileRuleSql, type RuleMessage } from './rule-sql';
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
  /** Adds a rule, and gives its name; throws for SQL and actions that are not played. */
  add(resource: Resource): string;
  /** Starts the actions of every rule whose filter fits the message. */
  route(message: RuleMessage): void;
}

interface RulesOptions {
  readonly lambda: Pick<Lambda, 'permits'>;
  readonly calls: LaterCalls;
  arnOf(ruleName: string): string;
  log(line: string): void;
}

/**
 * The rules engine. Functions are called asynchronously, those only that permit it; where AWS would take the error action
 * of a rule, there is a line in the log.
 */
export function createRules({ lambda, calls, arnOf, log }: RulesOptions): Rules {
  const rules: { name: string; sql: ReturnType<typeof compileRuleSql>; functionArns: readonly string[] }[] = [];

  function run(name: string, functionArn: string, event: unknown): void {
    if (lambda.permits(functionArn, 'iot.amazonaws.com', arnOf(name))) calls.call(functionArn, event);
    else log(`${arnOf(name)}: no AWS::Lambda::Permission lets it invoke ${functionArn}`);
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
        try {
          const event = sql.select(message);
          for (const functionArn of functionArns) run(name, functionArn, event);
        } catch (error) {
          log(`${arnOf(name)} can't take a message: ${error instanceof Error ? error.message : String(error)}`);
        }
      }
    },
  };
}
