/** The DynamoDB tables, one per aggregate: deployment, grants and alarms derive from this list. */
export const tableNames = [
  'jobs',
  'shares',
  'fleet',
  'partners',
  'requests',
  'connections',
  'events',
  'flights',
  'missions',
  'commands',
] as const;

export type TableName = (typeof tableNames)[number];

/** Environment variable that holds the deployed name of a table: `JOBS_TABLE` for `jobs`. */
export const tableVariable = (name: TableName) => `${name.toUpperCase()}_TABLE`;

/** Output of the stack with the deployed name of a table: `JobsTable` for `jobs`. */
export const tableOutput = (name: TableName) =>
  `${name.charAt(0).toUpperCase()}${name.slice(1)}Table` as `${Capitalize<TableName>}Table`;
