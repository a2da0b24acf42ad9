import { Aws, Stack } from 'aws-cdk-lib/core';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import type { Alarms } from './alarms';
import type { Tables } from '../foundation/tables';
import { causesView, partnersView, type Graph, type PartnersViewProps } from './dashboard-graphs';
import { alarmGroups, type AlarmDefinition } from '../functions/alarm-definitions';

/** Width of a dashboard. */
const COLUMNS = 24;
const COLUMNS_OF_GRAPH = 8;
const ROWS_OF_GRAPH = 6;
/** Fits all alarms, eight per row. */
const ROWS_OF_ALARMS = 4;

const headings: Readonly<Record<AlarmDefinition['group'], string>> = {
  calls: 'Alarms of calls',
  channels: 'Alarms of channels',
  lateness: 'Delay of changes, in ms',
  queues: 'Dead-letter queues',
};

export interface DashboardProps extends PartnersViewProps {
  readonly alarms: Alarms;
  readonly definitions: readonly AlarmDefinition[];
  readonly tables: Tables;
}

/**
 * The page to open when an alarm fires: the state of all alarms, what partners experience, the metric of each alarm with its
 * threshold and its impact on partners, and what may be behind them.
 */
export class Dashboard extends Construct {
  constructor(scope: Construct, id: string, { alarms, definitions, tables, ...partners }: DashboardProps) {
    super(scope, id);
    const sections = alarmGroups.map((group) => ({
      heading: headings[group],
      graphs: definitions.filter((one) => one.group === group).map(alarmGraph),
    }));
    new cloudwatch.Dashboard(this, 'Dashboard', {
      // Names of dashboards are unique in the account across regions.
      dashboardName: `${Stack.of(this).stackName}-${Aws.REGION}`,
      // A threshold applies to the period of its metric.
      periodOverride: cloudwatch.PeriodOverride.INHERIT,
      widgets: [
        [
          new cloudwatch.AlarmStatusWidget({
            title: 'Alarms',
            alarms: [...alarms.all],
            sortBy: cloudwatch.AlarmStatusWidgetSortBy.STATE_UPDATED_TIMESTAMP,
            width: COLUMNS,
            height: ROWS_OF_ALARMS,
          }),
        ],
        ...section('What partners experience', partnersView(partners).map(graphOf)),
        ...sections.flatMap(({ heading, graphs }) => section(heading, graphs)),
        ...section('Causes', causesView(tables).map(graphOf)),
      ],
    });
  }
}

function section(heading: string, graphs: cloudwatch.IWidget[]): cloudwatch.IWidget[][] {
  return [[new cloudwatch.TextWidget({ markdown: `## ${heading}`, width: COLUMNS, height: 1 })], graphs];
}

const graphOf = ({ title, left, right = [] }: Graph) => sized({ title, left, right });

const alarmGraph = ({ name, impact, metric, threshold }: AlarmDefinition) =>
  sized({
    title: impact,
    left: [metric],
    leftAnnotations: [{ value: threshold, label: `${name}: alarm from ${threshold} on`, color: cloudwatch.Color.RED }],
  });

const sized = (graph: cloudwatch.GraphWidgetProps) =>
  new cloudwatch.GraphWidget({ width: COLUMNS_OF_GRAPH, height: ROWS_OF_GRAPH, leftYAxis: { min: 0 }, ...graph });
