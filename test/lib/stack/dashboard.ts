import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { referred, synthesise } from '../synthesised';
import { everyOption } from '../../../bin/deployer-policy/every-option';
import { withAlarmCount, withAlarmTable } from '../../../bin/documents/tables';

describe('Dashboard', () => {
  const whole = synthesise({ simulatedFleet: 'true' });
  const { resources, byPath } = whole;

  type Reference = { readonly Ref: string } | { readonly 'Fn::GetAtt': readonly [string, string] };

  /** Parses the body of a dashboard, with references as `<LogicalId>` or `<LogicalId.Attribute>`. */
  function bodyOf(dashboard: unknown): unknown {
    const { 'Fn::Join': join } = (dashboard as { DashboardBody: { 'Fn::Join': [string, (string | Reference)[]] } })
      .DashboardBody;
    const parts = join[1].map((part) => {
      if (typeof part === 'string') return part;
      return 'Ref' in part ? `<${part.Ref}>` : `<${part['Fn::GetAtt'].join('.')}>`;
    });
    return JSON.parse(parts.join(''));
  }

  interface Widget {
    readonly type: string;
    readonly x: number;
    readonly y: number;
    readonly width: number;
    readonly height: number;
    readonly properties: {
      readonly title?: string;
      readonly alarms?: string[];
      readonly metrics?: unknown[][];
      readonly annotations?: { horizontal: { value: number; label: string }[] };
    };
  }

  const [dashboard] = Object.values(byPath('AWS::CloudWatch::Dashboard'));
  const body = bodyOf(dashboard?.Properties) as { widgets: Widget[]; periodOverride: string };
  const graphs = body.widgets.filter(({ type }) => type === 'metric');
  const alarms = Object.entries(resources).filter(([, { Type }]) => Type === 'AWS::CloudWatch::Alarm');

  /** A metric of a graph or an alarm. */
  interface Metric {
    readonly namespace: string;
    readonly name: string;
    readonly dimensions: Readonly<Record<string, string>>;
  }

  /** Metrics of a graph, without expressions. */
  const metricsOf = ({ properties }: Widget): Metric[] =>
    (properties.metrics ?? [])
      .map((entry) => entry.filter((part): part is string => typeof part === 'string'))
      .filter((parts) => parts.length >= 2)
      .map(([namespace = '', name = '', ...pairs]) => ({ namespace, name, dimensions: dimensions(pairs) }));

  const dimensions = (pairs: string[]): Record<string, string> =>
    Object.fromEntries(pairs.flatMap((key, index) => (index % 2 === 0 ? [[key, pairs[index + 1] ?? '']] : [])));

  function metricsOfAlarm(properties: Readonly<Record<string, unknown>>): Metric[] {
    const named = (metric: Record<string, unknown>): Metric => ({
      namespace: String(metric['Namespace']),
      name: String(metric['MetricName']),
      dimensions: Object.fromEntries(
        ((metric['Dimensions'] ?? []) as { Name: string; Value: unknown }[]).map(({ Name, Value }) => [
          Name,
          typeof Value === 'string' ? Value : `<${[Value].flatMap(reference).join('.')}>`,
        ]),
      ),
    });
    const queries = (properties['Metrics'] ?? []) as { MetricStat?: { Metric: Record<string, unknown> } }[];
    if (queries.length === 0) return [named(properties)];
    return queries.flatMap(({ MetricStat }) => (MetricStat ? [named(MetricStat.Metric)] : []));
  }

  const reference = (value: unknown): readonly string[] =>
    (value as { 'Fn::GetAtt'?: readonly string[] })['Fn::GetAtt'] ?? [referred(value)];

  const inOrder = (metrics: Metric[]) => metrics.map((metric) => JSON.stringify(metric)).sort();

  test('the dashboard shows the state of every alarm at the top', () => {
    const [first] = body.widgets;
    expect(first).toMatchObject({ type: 'alarm', x: 0, y: 0, width: 24 });
    expect(first?.properties.alarms?.toSorted()).toEqual(alarms.map(([id]) => `<${id}.Arn>`).sort());
  });

  test.each(
    alarms.map(([, { Properties, Metadata }]) => [Metadata?.['aws:cdk:path']?.split('/').at(-2) ?? '', Properties]),
  )('%s is on the dashboard with its metrics, its threshold, and its impact on partners', (name, properties) => {
    const [graph, ...others] = graphs.filter(({ properties: { title } }) =>
      String(properties['AlarmDescription']).startsWith(`${title ?? '?'}. docs/`),
    );
    // Two alarms may have the same impact.
    const own = [graph, ...others].find((one) => one?.properties.annotations?.horizontal[0]?.label.startsWith(name));
    expect(own?.properties.annotations?.horizontal).toEqual([
      expect.objectContaining({
        value: properties['Threshold'],
        label: `${name}: alarm from ${properties['Threshold'] as number} on`,
      }),
    ]);
    expect(inOrder(own ? metricsOf(own) : [])).toEqual(inOrder(metricsOfAlarm(properties)));
  });

  /** Dimensions of the metrics of AWS by namespace, and the type of resource that they name. */
  const awsMetrics: Readonly<Record<string, readonly (readonly [dimensions: string, type?: string])[]>> = {
    'AWS/ApiGateway': [['ApiName,Method,Resource,Stage'], ['ApiName,Stage'], ['ApiId,Stage', 'AWS::ApiGatewayV2::Api']],
    'AWS/DynamoDB': [['TableName', 'AWS::DynamoDB::Table'], ['GlobalSecondaryIndexName,TableName']],
    'AWS/IoT': [['Protocol']],
    'AWS/Lambda': [[''], ['FunctionName', 'AWS::Lambda::Function']],
    'AWS/SQS': [['QueueName', 'AWS::SQS::Queue']],
    DroneMissionApi: [['capability'], ['reason']],
  };

  test('every graph shows existing metrics, of AWS or of log lines, for resources of the stack', () => {
    const metrics = graphs.flatMap(metricsOf);
    expect(metrics.length).toBeGreaterThan(60);
    for (const { namespace, name, dimensions: named } of metrics) {
      const known = awsMetrics[namespace]?.find(([names]) => names === Object.keys(named).sort().join(','));
      expect([namespace, Object.keys(named), known]).not.toContain(undefined);
      for (const value of Object.values(named).filter((one) => one.startsWith('<'))) {
        const type = resources[value.slice(1, -1).split('.')[0] ?? '']?.Type;
        if (known?.[1] !== undefined) expect([name, type]).toEqual([name, known[1]]);
        expect([name, type]).not.toContain(undefined);
      }
    }
  });

  test.each([
    ['5XXError', 'REST:'],
    ['4XXError', 'REST:'],
    ['Latency', 'REST:'],
    ['Count', 'Tokens:'],
    ['ConnectCount', 'WSS:'],
    ['MessageCount', 'WSS:'],
    ['Connect.Success', 'MQTT, whole'],
    ['PublishIn.Success', 'MQTT, whole'],
    ['PublishRetained.Throttle', 'MQTT, whole'],
  ])('the graphs of what partners experience are above those of alarms: %s of %s', (metric, title) => {
    const shown = graphs.filter((graph) => graph.properties.title?.startsWith(title));
    expect(shown.flatMap(metricsOf).map(({ name }) => name)).toContain(metric);
    const firstOfAlarms = Math.min(...graphs.filter(({ properties }) => properties.annotations).map(({ y }) => y));
    for (const { y } of shown) expect(y).toBeLessThan(firstOfAlarms);
  });

  test('metrics have the period of their alarms, and no graphs overlap', () => {
    expect(body.periodOverride).toBe('inherit');
    const cells = body.widgets.flatMap(({ x, y, width, height }) =>
      Array.from({ length: width * height }, (_, index) => `${x + (index % width)},${y + Math.floor(index / width)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    for (const { x, width } of body.widgets) expect(x + width).toBeLessThanOrEqual(24);
  });

  test('the graph of throttled tables has reads and writes of each table and of each of its indexes', () => {
    const [graph] = graphs.filter(({ properties: { title } }) => title?.startsWith('DynamoDB'));
    const shown = (graph ? metricsOf(graph) : []).map(({ name, dimensions: named }) =>
      [name, named['TableName'], named['GlobalSecondaryIndexName'] ?? ''].join(' '),
    );
    const throttles = Object.entries(resources)
      .filter(([id, { Type }]) => Type === 'AWS::DynamoDB::Table' && id.startsWith('Tables'))
      .flatMap(([id, { Properties }]) => {
        const indexes = (Properties['GlobalSecondaryIndexes'] ?? []) as { IndexName: string }[];
        return ['', ...indexes.map(({ IndexName }) => IndexName)].flatMap((index) =>
          ['ReadThrottleEvents', 'WriteThrottleEvents'].map((name) => `${name} <${id}> ${index}`),
        );
      });
    expect(shown.sort()).toEqual(throttles.sort());
  });
});

describe('Operations page', () => {
  const root = join(__dirname, '../../..');
  const textOf = (path: string) => readFileSync(join(root, path), 'utf8');
  /** Without the spaces and lines by which the formatter aligns a table. */
  const unaligned = (markdown: string) => markdown.replaceAll(/(?<=\|) +| +(?=\|)|-(?=-{3})/g, '');

  const { resources, byPath } = synthesise({ ...everyOption, edgeRateLimit: '' });
  const runbooks = 'docs/runbooks';
  const pages = readdirSync(join(root, runbooks)).map((file): [string, string] => [file, textOf(join(runbooks, file))]);
  const ofAlarms = pages.filter(([, text]) => text.includes('**Partners suffer:**'));

  /** Name of each alarm, with the file that its description names. */
  const alarms = Object.entries(byPath('AWS::CloudWatch::Alarm')).map(([path, { Properties }]): [string, string] => [
    basename(path),
    basename(String(Properties['AlarmDescription']).split(' ').at(-1) ?? ''),
  ]);

  test('each alarm has the page that its description names, and each page of an alarm its alarm', () => {
    expect(ofAlarms.map(([file]) => file).sort()).toEqual(alarms.map(([, file]) => file).sort());
  });

  test.each(alarms)(
    'the page of %s begins with what to run, then says what partners suffer and what to do',
    (name, file) => {
      const form = new RegExp(
        `^# ${name}\\n\\n\`\`\`sh\\n.+?\\n\`\`\`\\n\\n\\*\\*Partners suffer:\\*\\* .+\\n\\*\\*Look for:\\*\\* .+\\n\\*\\*Mend:\\*\\* .+$`,
        's',
      );
      expect(textOf(join(runbooks, file))).toMatch(form);
    },
  );

  test('the pages of alarms look into log groups and queues of the stack', () => {
    const ids = Object.keys(resources);
    for (const [file, text] of ofAlarms) {
      const prefixes = [...text.matchAll(/\$STACK-(\w+)/g)].map(([, prefix = '']) => prefix);
      const names = [...text.matchAll(/contains\(@, '([A-Z]\w+)'\)/g)].map(([, name = '']) => name);
      const found = [
        ...prefixes.map((prefix) => ids.some((id) => id.startsWith(prefix) && id.includes('Log'))),
        ...names.map((name) => ids.some((id) => id.includes(name) && resources[id]?.Type === 'AWS::SQS::Queue')),
      ];
      expect([file, found]).toEqual([file, found.map(() => true)]);
      if (file !== 'no-capacity.md') expect([file, found.length]).not.toEqual([file, 0]);
    }
  });

  test('docs/operations.md has the table of all alarms: if it is not up to date, run npm run documents', () => {
    const page = textOf('docs/operations.md');
    expect(unaligned(page)).toBe(unaligned(withAlarmTable(page, resources)));
    for (const [name, file] of alarms) expect(page).toContain(`| [${name}](runbooks/${file})`);
  });

  test('docs/deploying.md has the numbers of alarms, metrics and filters: if they are not up to date, run npm run documents', () => {
    const page = textOf('docs/deploying.md');
    expect(page).toBe(withAlarmCount(page, synthesise().resources));
  });

  test('a page without a place for the alarms is refused', () => {
    expect(() => withAlarmTable('# Operations', resources)).toThrow('docs/operations.md lacks <!-- alarms');
  });
});
