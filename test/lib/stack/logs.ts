/** Logs that expire: every log group is one of the template's, with a retention period. */
import { referred, type CfnResource, everyTemplate } from '../synthesised';

const templates = everyTemplate().filter(({ stackName }) => !stackName.endsWith('-edge'));

describe.each(templates.map((template) => [template.stackName, template] as const))('%s', (_name, { resources }) => {
  const all = Object.values(resources);
  const of = (type: string) => all.filter(({ Type }) => Type === type);
  const retention = (group: CfnResource | undefined) => group?.Properties['RetentionInDays'];

  test('each function logs into a log group with a retention period, those of the CDK too', () => {
    const groups = of('AWS::Lambda::Function').map(({ Properties }) => {
      const { LogGroup } = (Properties['LoggingConfig'] ?? {}) as { LogGroup?: unknown };
      return retention(LogGroup === undefined ? undefined : resources[referred(LogGroup)]);
    });
    expect(groups.length).toBeGreaterThan(30);
    expect(new Set(groups)).toEqual(new Set([90]));
  });

  test('each log group has a retention period', () => {
    expect(new Set(of('AWS::Logs::LogGroup').map(retention))).toEqual(new Set([90]));
  });

  // API Gateway writes execution logs into log groups that it creates itself, which nobody expires.
  test('no stage has execution logs', () => {
    const stages = [...of('AWS::ApiGateway::Stage'), ...of('AWS::ApiGatewayV2::Stage')];
    expect(stages.length).toBe(2);
    expect(JSON.stringify(stages)).not.toMatch(/"LoggingLevel":"(INFO|ERROR)"|"DataTraceEnabled":true/);
  });

  test('files are copied by one function with one layer', () => {
    expect(of('Custom::CDKBucketDeployment')).toHaveLength(4);
    expect(of('AWS::Lambda::LayerVersion')).toHaveLength(1);
  });
});
