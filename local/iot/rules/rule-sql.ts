/** SQL of topic rules, a subset: AWS IoT Core developer guide, "AWS IoT SQL reference". */

/** Input of a rule. */
export interface RuleMessage {
  readonly topic: string;
  /** Client id of the publisher; undefined when AWS or an API call published it. */
  readonly clientId: string | undefined;
  readonly payload: Buffer;
}

export interface RuleSql {
  /** Topic filter of the FROM clause. */
  readonly filter: string;
  /** Applies the SELECT clause. @throws Error when the payload is not a JSON object */
  select(message: RuleMessage): Record<string, unknown>;
}

type Column = (message: RuleMessage, payload: Record<string, unknown>) => Record<string, unknown>;

const functions: Readonly<Record<string, (message: RuleMessage, level: string) => unknown>> = {
  topic: ({ topic }, level) => (level === '' ? topic : topic.split('/')[Number(level) - 1]),
  clientid: ({ clientId }) => clientId,
  timestamp: () => Date.now(),
};

/**
 * Compiles `SELECT <columns> FROM '<filter>'`. A column is `*`, or a field of the payload, `topic()`, `topic(n)`,
 * `clientid()` or `timestamp()`, each of these with or without `AS name`.
 * @throws Error that names anything else
 */
export function compileRuleSql(sql: string): RuleSql {
  const [, columns, filter] = /^\s*SELECT\s+(.+?)\s+FROM\s+'([^']+)'\s*$/is.exec(sql) ?? [];
  if (columns === undefined || filter === undefined)
    throw new Error(`The rule "${sql}" is not supported on this machine`);
  const compiled = columns.split(',').map((text) => compileColumn(text.trim(), sql));
  return {
    filter,
    select(message) {
      const payload: unknown = JSON.parse(message.payload.toString());
      if (typeof payload !== 'object' || payload === null || Array.isArray(payload))
        throw new Error('the payload is not a JSON object');
      const fields = payload as Record<string, unknown>;
      return Object.assign({}, ...compiled.map((column) => column(message, fields))) as Record<string, unknown>;
    },
  };
}

function compileColumn(text: string, sql: string): Column {
  if (text === '*') return (_message, payload) => payload;
  const [, name = '', call, level = '', alias] = /^(\w+)(\(\s*(\d*)\s*\))?(?:\s+AS\s+(\w+))?$/i.exec(text) ?? [];
  if (call === undefined && name !== '') return (_message, payload) => ({ [alias ?? name]: payload[name] });
  const run = functions[name.toLowerCase()];
  if (!run) throw new Error(`"${text}" of the rule "${sql}" is not supported on this machine`);
  return (message) => ({ [alias ?? name]: run(message, level) });
}
