import { MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import { tableNames, type TableName } from '../../domain/values/table-names';
import type { Tables } from '../functions/tables';
import { period } from '../functions/alarm-definition';
import type { Graph } from './partners-view';

/**
 * Graphs of what may be behind several alarms at once. Throttled tables have no alarm of their own: what partners notice of
 * one are failures or lateness.
 */
export const causesView = (tables: Tables): Graph[] => [
  {
    title: 'DynamoDB: throttled requests by table',
    left: tableNames.map((name) => throttles(name, tables[name], tables.indexes[name])),
  },
];

/**
 * Throttled requests to a table and its indexes, which report in a separate dimension. Each metric has data only for periods
 * with throttled requests, and a sum has no data where one operand has none (CloudWatch user guide, "Using metric
 * math", FILL).
 */
function throttles(name: TableName, table: Table, indexes: readonly string[] = []): MathExpression {
  const dimensions = [{}, ...indexes.map((GlobalSecondaryIndexName) => ({ GlobalSecondaryIndexName }))];
  const metrics = dimensions.flatMap((dimension) =>
    ['ReadThrottleEvents', 'WriteThrottleEvents'].map((metricName) =>
      table.metric(metricName, {
        statistic: 'Sum',
        dimensionsMap: { TableName: table.tableName, ...dimension },
      }),
    ),
  );
  // Ids are unique in a graph.
  const usingMetrics = Object.fromEntries(metrics.map((metric, index) => [`${name}${index}`, metric]));
  const expression = Object.keys(usingMetrics)
    .map((id) => `FILL(${id}, 0)`)
    .join(' + ');
  return new MathExpression({ expression, usingMetrics, period, label: name });
}
