import type { UpdateCommandInput } from '@aws-sdk/lib-dynamodb';

/** Values by attribute; undefined ones are left out. */
type Fields = Readonly<Record<string, unknown>>;

/** What an update does. An attribute is named by its path, such as `flown.until`. */
export interface Update {
  readonly set?: Fields;
  /** Only where the item has none. */
  readonly setOnce?: Fields;
  /** To the end of a list, which may be missing. */
  readonly append?: Fields;
  /** To a number, which is 0 when it is missing, or to a set. */
  readonly add?: Fields;
  /** From a set. */
  readonly subtract?: Fields;
  readonly remove?: readonly string[];
  /** As DynamoDB has it: `#name` is the attribute of that name, `:name` one of `values`, or what this update writes to `name`. */
  readonly condition?: string | undefined;
  /** Values of the condition. */
  readonly values?: Fields;
}

type Expression = Pick<
  UpdateCommandInput,
  'UpdateExpression' | 'ConditionExpression' | 'ExpressionAttributeNames' | 'ExpressionAttributeValues'
>;

const given = (fields: Fields = {}) => Object.entries(fields).filter(([, value]) => value !== undefined);
const attribute = (path: string) => path.replaceAll(/\w+/g, '#$&');
const placeholder = (path: string) => `:${path.replaceAll('.', '_')}`;
const pair = (name: string, value: string) => `${name} ${value}`;

/** The condition that an attribute has one of some values. @param attribute as the condition has it @param name of the values */
export const isOneOf = (attribute: string, name: string, values: readonly unknown[]) => ({
  condition: `${attribute} IN (${values.map((_, index) => `:${name}${index}`).join(', ')})`,
  values: Object.fromEntries(values.map((value, index) => [`${name}${index}`, value])),
});

/** The expressions of an update. They have placeholders, so that they never contain reserved words or input. */
export function update({ set, setOnce, append, add, subtract, remove = [], condition, values }: Update): Expression {
  const terms = (fields: Fields | undefined, term: (name: string, value: string) => string) =>
    given(fields).map(([path]) => term(attribute(path), placeholder(path)));
  const clauses = {
    SET: [
      ...terms(set, (name, value) => `${name} = ${value}`),
      ...terms(setOnce, (name, value) => `${name} = if_not_exists(${name}, ${value})`),
      ...terms(append, (name, value) => `${name} = list_append(if_not_exists(${name}, :empty), ${value})`),
    ],
    REMOVE: remove.map(attribute),
    ADD: terms(add, pair),
    DELETE: terms(subtract, pair),
  };
  const UpdateExpression = Object.entries(clauses)
    .flatMap(([verb, all]) => (all.length > 0 ? [pair(verb, all.join(', '))] : []))
    .join(' ');
  const entries = [set, setOnce, append, add, subtract, values, given(append).length > 0 ? { empty: [] } : {}].flatMap(
    given,
  );
  const all = Object.fromEntries(entries.map(([path, value]) => [placeholder(path), value]));
  if (Object.keys(all).length < entries.length) throw new Error('two values have one name');
  const names = `${UpdateExpression} ${condition ?? ''}`.match(/#\w+/g) ?? [];
  return {
    UpdateExpression,
    ConditionExpression: condition,
    ExpressionAttributeNames: Object.fromEntries(names.map((name) => [name, name.slice(1)])),
    ExpressionAttributeValues: entries.length > 0 ? all : undefined,
  };
}
