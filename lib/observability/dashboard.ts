import { Aws, Stack } from 'aws-cdk-lib/core';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import type { Alarms } from './alarms';
import { partnersView, type PartnersViewProps } from './partners-view';
import { alarmGroups, type AlarmDefinition } from './alarm-definition';

/** Width of a dashboard. */
const COLUMNS = 24;
const COLUMNS_OF_GRAPH = 8;
const ROWS_OF_GRAPH = 6;
/** Fits all alarms, eight per row. */
const ROWS_OF_ALARMS = 7;

const headings: Readonly<Record<AlarmDefinition['group'], string>> = {
  calls: 'Calls, tokens and connections: alarms',
  lateness: 'Delay of changes, in ms',
  tables: 'Tables',
  queues: 'Dead-letter queues',
  functions: 'Functions',
};

export interface DashboardProps extends PartnersViewProps {
  readonly alarms: Alarms;
  readonly definitions: readonly AlarmDefinition[];
}

/**
 * The page to open when an alarm fires: the state of all alarms, what partners experience, and the metric of each alarm with
 * its threshold and its impact on partners.
 */
export class Dashboard extends Construct {
  constructor(scope: Construct, id: string, { alarms, definitions, ...partners }: DashboardProps) {
    super(scope, id);
    const sections = alarmGroups.map((group) => ({
      heading: headings[group],
      graphs: definitions.filter((one) => one.group === group).map(alarmGraph),
    }));
    const graphs = partnersView(partners).map(({ title, left, right = [] }) => sized({ title, left, right }));
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
        ...section('What partners experience', graphs),
        ...sections.flatMap(({ heading, graphs: ofGroup }) => section(heading, ofGroup)),
      ],
    });
  }
}

function section(heading: string, graphs: cloudwatch.IWidget[]): cloudwatch.IWidget[][] {
  return [[new cloudwatch.TextWidget({ markdown: `## ${heading}`, width: COLUMNS, height: 1 })], graphs];
}

const alarmGraph = ({ name, impact, metric, threshold }: AlarmDefinition) =>
  sized({
    title: impact,
    left: [metric],
    leftAnnotations: [{ value: threshold, label: `${name}: alarm from ${threshold} on`, color: cloudwatch.Color.RED }],
  });

const sized = (graph: cloudwatch.GraphWidgetProps) =>
  new cloudwatch.GraphWidget({ width: COLUMNS_OF_GRAPH, height: ROWS_OF_GRAPH, leftYAxis: { min: 0 }, ...graph });
