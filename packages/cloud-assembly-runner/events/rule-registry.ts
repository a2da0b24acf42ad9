/**
 * The rules of an account. Those of the template are created anew at each start, as it says; those that were created by calls are
 * kept from one start to the next.
 */
import { join } from 'node:path';
import * as z from 'zod';
import { openDataFile } from '../data-folder/data-file';
import { compileRule, ruleDefinition, rulePath, type Rule, type RuleDefinition } from './rule';

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
