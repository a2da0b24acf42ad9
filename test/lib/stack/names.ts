import { checkNames, nameRules } from 'cloud-assembly-runner/cloudformation/name-rules';
import { resolve } from 'cloud-assembly-runner/cloudformation/intrinsics';
import { parseTemplate, scopeOf } from 'cloud-assembly-runner/cloudformation/template';
import { everyTemplate, templatesWith, type SynthesisedTemplate } from '../synthesised';
import { everyOption } from '../../../bin/deployer-policy/every-option';

describe('Names', () => {
  const templates = everyTemplate();

  /** Types whose resources have no name that a template could give, or that its service would refuse. */
  const nameless = [
    ...[
      'Account',
      'Authorizer',
      'BasePathMapping',
      'Deployment',
      'DomainName',
      'GatewayResponse',
      'Method',
      'Resource',
    ].map((type) => `AWS::ApiGateway::${type}`),
    'AWS::ApiGateway::UsagePlan',
    ...['Integration', 'Route', 'RouteResponse'].map((type) => `AWS::ApiGatewayV2::${type}`),
    'AWS::CloudFront::Distribution',
    'AWS::Cognito::UserPool',
    'AWS::S3::BucketPolicy',
    'AWS::SQS::QueuePolicy',
    ...['EventInvokeConfig', 'EventSourceMapping', 'Permission'].map((type) => `AWS::Lambda::${type}`),
    'AWS::WAFv2::WebACLAssociation',
  ];

  test.each(templates.map((template) => [template.stackName, template] as const))(
    'the services accept each name in %s',
    (stackName, { resources }) => {
      const find = (logicalId: string) => ({
        ref: logicalId,
        attribute: () => `arn:aws:service:region:account:${logicalId}`,
      });
      const scope = scopeOf(parseTemplate({ Resources: {} }), stackName, find);
      const faults = Object.entries(resources).flatMap(([logicalId, { Type, Properties }]) => {
        try {
          checkNames(logicalId, Type, resolve(Properties, scope));
          return [];
        } catch (error) {
          return [String(error)];
        }
      });
      expect(faults).toEqual([]);
    },
  );

  test('each type has rules for its names, or no name', () => {
    const ruled = new Set(nameRules.map(({ type }) => type));
    const types = templates.flatMap(({ resources }) => Object.values(resources).map(({ Type }) => Type));
    const used = [...new Set(types)].filter((type) => type.startsWith('AWS::'));
    expect(used.filter((type) => !ruled.has(type) && !nameless.includes(type))).toEqual([]);
    expect(nameless.filter((type) => ruled.has(type))).toEqual([]);
  });
});

/** What two stages in one account and Region, or one stage in two Regions, may have in common. */
describe('Unique names', () => {
  const regions = ['eu-central-1', 'eu-west-1'];

  /** A stage with every option, in a Region; `undefined` is the one without a name. Domain names are its own. */
  const stageIn = (stage: string | undefined, region: string): Stage => {
    const host = (name: string) => `${name}.${stage ?? 'unnamed'}.example.com`;
    const own = {
      stage: stage ?? '',
      domainName: host('api'),
      webSocketDomainName: host('ws'),
      mqttDomainName: host('mqtt'),
    };
    return { region, stacks: templatesWith({ ...everyOption, ...own }) };
  };

  interface Stage {
    readonly region: string;
    readonly stacks: readonly SynthesisedTemplate[];
  }

  /** Names that need not be unique, with the reason. */
  const shared: Readonly<Record<string, string>> = {
    'AWS::ApiGateway::Stage StageName': 'of one API',
    'AWS::ApiGatewayV2::Stage StageName': 'of one API',
    'AWS::Cognito::UserPoolResourceServer Name': 'of one user pool',
    'AWS::CloudWatch::Alarm MetricName': 'of a metric, whose namespace and dimensions are compared below',
    'AWS::IAM::Policy PolicyName': 'of one role',
    'AWS::IAM::Role PolicyName': 'of one role',
    'AWS::Logs::MetricFilter FilterName': 'of one log group',
    'AWS::Logs::MetricFilter MetricName': 'in a namespace of the stack',
    'AWS::DynamoDB::Table IndexName': 'of one table',
    'AWS::DynamoDB::Table AttributeName': 'of one table',
    'AWS::Cognito::UserPoolResourceServer ScopeName': 'of one resource server',
    'AWS::CloudFront::Distribution HeaderName': 'of HTTP',
    'AWS::CloudFront::Distribution OriginRequestPolicyId': 'managed by CloudFront',
    'AWS::CloudFront::Distribution WebACLId': 'an option',
  };

  /** Metrics that AWS reports for the account as a whole, without a dimension for a stage. */
  const accountMetrics = /^AWS\/(Usage|IoT) |^AWS\/Lambda (Throttles undefined|\["Throttles"\])$/;

  /** Resources of a stage with the values that CloudFormation would put in: each resource of a stack has an id of its own. */
  function resolvedResources({ region, stacks }: Stage) {
    return stacks.flatMap(({ stackName, resources }) => {
      const pseudo: Readonly<Record<string, string>> = {
        'AWS::Region': region,
        'AWS::AccountId': '123456789012',
        'AWS::Partition': 'aws',
        'AWS::URLSuffix': 'amazonaws.com',
        'AWS::StackName': stackName,
      };
      const scope = {
        ref: (name: string) => pseudo[name] ?? `${region}/${stackName}/${name}`,
        attribute: (id: string, name: string) => `arn:aws:of:${region}:${stackName}:${id}.${name}`,
        condition: () => true,
        mapping: () => '',
      };
      return Object.entries(resources).map(([id, { Type, Properties }]) => ({
        id,
        type: Type,
        properties: resolve(Properties, scope),
      }));
    });
  }

  /** Values of the properties of a name, at any depth. */
  function namesIn(value: unknown, name: RegExp, at = ''): (readonly [property: string, value: string])[] {
    if (typeof value === 'string') return name.test(at) ? [[at, value]] : [];
    if (typeof value !== 'object' || value === null) return [];
    return Object.entries(value).flatMap(([key, inner]) => namesIn(inner, name, Array.isArray(value) ? at : key));
  }

  const isName = /(\w(Name|Domain|Identifier)|^physicalResourceId)$|^Domain$/;

  /** The property `Name` of a resource itself; deeper ones are keys of pairs. */
  const ownName = (properties: unknown): (readonly [property: string, value: string])[] => {
    const { Name } = properties as Readonly<Record<string, unknown>>;
    return typeof Name === 'string' ? [['Name', Name]] : [];
  };

  /** Names, log groups and exports of a stage, as `type property=value`. */
  function namesOf(stage: Stage): string[] {
    const names = resolvedResources(stage).flatMap(({ type, properties }) =>
      [...namesIn(parsedCalls(properties), isName), ...ownName(properties)].map(
        ([property, value]) => [`${type} ${property}`, value] as const,
      ),
    );
    const exported = stage.stacks.flatMap(({ outputs }) =>
      Object.values(outputs).flatMap(({ Export }) =>
        Export ? [['Export Name', JSON.stringify(Export.Name)] as const] : [],
      ),
    );
    return [...names, ...exported]
      .filter(([property]) => !Object.hasOwn(shared, property))
      .map(([property, value]) => `${property}=${value}`);
  }

  /** The calls of a custom resource are JSON texts. */
  function parsedCalls(properties: unknown): unknown {
    return Object.fromEntries(
      Object.entries(properties as object).map(([key, value]) =>
        /^(Create|Update|Delete)$/.test(key) ? [key, JSON.parse(String(value)) as unknown] : [key, value as unknown],
      ),
    );
  }

  /** Metrics that the stage's alarms watch and its dashboard shows, with namespace and dimensions. */
  function metricsOf(stage: Stage): string[] {
    const found: string[] = [];
    const visit = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return;
      const { Namespace, MetricName, Dimensions } = value as Readonly<Record<string, unknown>>;
      if (typeof Namespace === 'string') found.push(`${Namespace} ${String(MetricName)} ${JSON.stringify(Dimensions)}`);
      Object.values(value).forEach(visit);
    };
    for (const { type, properties } of resolvedResources(stage)) {
      if (type === 'AWS::CloudWatch::Alarm') visit(properties);
      if (type === 'AWS::CloudWatch::Dashboard') {
        const { DashboardBody } = properties as { DashboardBody: string };
        const { widgets } = JSON.parse(DashboardBody) as { widgets: { properties: { metrics?: unknown[][] } }[] };
        for (const [namespace, ...rest] of widgets.flatMap((widget) => widget.properties.metrics ?? [])) {
          if (typeof namespace === 'string')
            found.push(`${namespace} ${JSON.stringify(rest.filter((part) => typeof part === 'string'))}`);
        }
      }
      if (type === 'AWS::WAFv2::WebACL') {
        found.push(...namesIn(properties, /^MetricName$/).map(([, name]) => `AWS/WAFV2 ${name}`));
      }
    }
    return found.filter((metric) => !accountMetrics.test(metric));
  }

  const common = (one: readonly string[], other: readonly string[]) => {
    const others = new Set(other);
    return [...new Set(one.filter((name) => others.has(name)))];
  };

  const [a, b, unnamed] = [
    stageIn('a', 'eu-central-1'),
    stageIn('b', 'eu-central-1'),
    stageIn(undefined, 'eu-central-1'),
  ];

  test.each([
    ['a and b', a, b],
    ['a and none', a, unnamed],
    ['b and none', b, unnamed],
  ])('the stages %s have no name, log group, export or physical id in common', (_names, one, other) => {
    expect(namesOf(one).length).toBeGreaterThan(20);
    expect(common(namesOf(one), namesOf(other))).toEqual([]);
  });

  test.each([
    ['a', a, b],
    ['none', unnamed, a],
  ])('stage %s has no metric in common with another', (_name, one, other) => {
    expect(metricsOf(one).length).toBeGreaterThan(20);
    expect(common(metricsOf(one), metricsOf(other))).toEqual([]);
  });

  test('API Gateway’s account setting is the only resource of which an account has one: it is retained, and its role too', () => {
    const retained = a.stacks
      .flatMap(({ resources }) => Object.entries(resources))
      .filter(([, { DeletionPolicy }]) => DeletionPolicy === 'Retain');
    expect(retained.map(([, { Type }]) => Type).sort()).toEqual(['AWS::ApiGateway::Account', 'AWS::IAM::Role']);
    const [[role] = []] = retained.filter(([, { Type }]) => Type === 'AWS::IAM::Role');
    const [[, account] = []] = retained.filter(([, { Type }]) => Type === 'AWS::ApiGateway::Account');
    expect(account?.Properties).toEqual({ CloudWatchRoleArn: { 'Fn::GetAtt': [role, 'Arn'] } });
  });

  /** Names that are unique in an account across Regions, by type and property. */
  const accountWide: readonly (readonly [type: string, property: string])[] = [
    ['AWS::CloudFront::Function', 'Name'],
    ['AWS::CloudFront::OriginAccessControl', 'Name'],
    ['AWS::CloudFront::ResponseHeadersPolicy', 'Name'],
    ['AWS::CloudWatch::Dashboard', 'DashboardName'],
  ];

  test.each(accountWide)('%s has a different %s in every stage and Region of an account', (type, property) => {
    const names = [a, b].flatMap(({ stacks }) =>
      regions.flatMap((region) =>
        resolvedResources({ region, stacks })
          .filter((resource) => resource.type === type)
          .flatMap(({ properties }) => namesIn(properties, new RegExp(`^${property}$`)).slice(0, 1))
          .map(([, name]) => name),
      ),
    );
    expect(names.length).toBeGreaterThanOrEqual(4);
    expect(new Set(names).size).toBe(names.length);
  });

  test('a Cognito domain includes stage and account, since it is unique in its Region across accounts', () => {
    const prefixes = [a, b].flatMap((stage) =>
      resolvedResources(stage)
        .filter(({ type }) => type === 'AWS::Cognito::UserPoolDomain')
        .map(({ properties }) => (properties as { Domain: string }).Domain),
    );
    expect(prefixes).toEqual(['drone-mission-api-a-123456789012', 'drone-mission-api-b-123456789012']);
  });
});
