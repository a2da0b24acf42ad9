import { Aws, Stack } from 'aws-cdk-lib/core';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import type { Alarms } from './alarms';
import { partnersView, type PartnersViewProps } from './partners-view';
import { alarmGroups, type AlarmDefinition } from './alarm-definition';

/** CloudWatch divides a dashboard into so many columns. */
const COLUMNS = 24;
const COLUMNS_OF_GRAPH = 8;
const ROWS_OF_GRAPH = 6;
/** Room for all alarms, eight in a row. */
const ROWS_OF_ALARMS = 7;

const headings: Readonly<Record<AlarmDefinition['group'], string>> = {
  calls: 'Calls, tokens and connections: alarms',
  lateness: 'How late changes are told, in ms',
  tables: 'Tables',
  queues: 'Queues of what failed',
  functions: 'Functions',
};

export interface DashboardProps extends PartnersViewProps {
  readonly alarms: Alarms;
  readonly watched: readonly AlarmDefinition[];
}

/**
 * One page to look at when an alarm fires: the state of all alarms, what partners feel, and behind it every metric that is
 * watched, with the line from which its alarm fires and what partners suffer then.
 */
export class Dashboard extends Construct {
  constructor(scope: Construct, id: string, { alarms, watched, ...partners }: DashboardProps) {
    super(scope, id);
    const parts = alarmGroups.map((group) => ({
      heading: headings[group],
      graphs: watched.filter((one) => one.group === group).map(watchedGraph),
    }));
    const graphs = partnersView(partners).map(({ title, left, right = [] }) => sized({ title, left, right }));
    new cloudwatch.Dashboard(this, 'Dashboard', {
      // CloudWatch's dashboards are those of the account, in whichever region a stack is.
      dashboardName: `${Stack.of(this).stackName}-${Aws.REGION}`,
      // A threshold is one of its metric's own period.
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
        ...part('What partners feel', graphs),
        ...parts.flatMap(({ heading, graphs: ofGroup }) => part(heading, ofGroup)),
      ],
    });
  }
}

function part(heading: string, graphs: cloudwatch.IWidget[]): cloudwatch.IWidget[][] {
  return [[new cloudwatch.TextWidget({ markdown: `## ${heading}`, width: COLUMNS, height: 1 })], graphs];
}

const watchedGraph = ({ name, impact, metric, threshold }: AlarmDefinition) =>
  sized({
    title: impact,
    left: [metric],
    leftAnnotations: [{ value: threshold, label: `${name}: alarm from ${threshold} on`, color: cloudwatch.Color.RED }],
  });

const sized = (graph: cloudwatch.GraphWidgetProps) =>
  new cloudwatch.GraphWidget({ width: COLUMNS_OF_GRAPH, height: ROWS_OF_GRAPH, leftYAxis: { min: 0 }, ...graph });
