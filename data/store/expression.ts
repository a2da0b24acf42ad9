/** Names and values of an update, so that no reserved word or user input ever stands in an expression. */
export interface Assignment {
  readonly UpdateExpression: string;
  readonly ExpressionAttributeNames: Record<string, string>;
  readonly ExpressionAttributeValues: Record<string, unknown>;
}

/** `SET` of every field that has a value; fields that are undefined stay as they are. */
export function set(fields: Readonly<Record<string, unknown>>): Assignment {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return {
    UpdateExpression: `SET ${given.map(([name]) => `#${name} = :${name}`).join(', ')}`,
    ExpressionAttributeNames: Object.fromEntries(given.map(([name]) => [`#${name}`, name])),
    ExpressionAttributeValues: Object.fromEntries(given.map(([name, value]) => [`:${name}`, value])),
  };
}
