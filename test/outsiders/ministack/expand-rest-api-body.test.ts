import { expandRestApiBodies, type TemplateResource } from './expand-rest-api-body';

const uri = { 'Fn::Join': ['', ['arn:', { Ref: 'AWS::Partition' }, ':function:f/invocations']] };
const orderId = { name: 'orderId', in: 'path', required: true, schema: { type: 'string' } };
const call = { type: 'aws_proxy', httpMethod: 'POST', uri };
const authorizer = {
  type: 'token',
  authorizerUri: uri,
  identityValidationExpression: '^Bearer .+$',
  authorizerResultTtlInSeconds: 300,
};
const notAllowed = {
  parameters: [orderId],
  responses: { '405': { description: 'No', headers: { Allow: { schema: { type: 'string' } } } } },
  'x-amazon-apigateway-integration': {
    type: 'mock',
    contentHandling: 'CONVERT_TO_TEXT',
    passthroughBehavior: 'never',
    requestTemplates: { 'application/json': '{"statusCode":405}' },
    responses: {
      default: {
        statusCode: '405',
        contentHandling: 'CONVERT_TO_TEXT',
        responseParameters: { 'method.response.header.Allow': "'GET'" },
        responseTemplates: { 'application/json': '{"error":"Method not allowed"}' },
      },
    },
  },
};
const operation = (scheme: string) => ({
  parameters: [],
  responses: { '200': { description: 'OK' } },
  security: [{ [scheme]: [] }],
  'x-amazon-apigateway-integration': call,
});
const body = {
  openapi: '3.0.1',
  info: { title: 'orders', version: '1' },
  paths: {
    '/': { post: operation('key') },
    '/orders/{orderId}': { get: operation('token'), 'x-amazon-apigateway-any-method': notAllowed },
  },
  components: {
    securitySchemes: {
      key: { type: 'apiKey', name: 'x-api-key', in: 'header' },
      token: {
        type: 'apiKey',
        name: 'Authorization',
        in: 'header',
        'x-amazon-apigateway-authtype': 'custom',
        'x-amazon-apigateway-authorizer': authorizer,
      },
    },
  },
  'x-amazon-apigateway-api-key-source': 'HEADER',
  'x-amazon-apigateway-gateway-responses': {
    THROTTLED: {
      statusCode: '429',
      responseParameters: { 'gatewayresponse.header.x': 'context.requestId' },
      responseTemplates: { 'application/json': '{}' },
    },
  },
} as const;

type Properties = NonNullable<TemplateResource['Properties']>;

/** Expands a template of one API; `of` finds an added resource by its type and some properties. */
function expanded(changes: object = {}) {
  const Resources: Record<string, TemplateResource> = {
    Api: {
      Type: 'AWS::ApiGateway::RestApi',
      Properties: {
        Name: 'orders',
        Body: JSON.parse(JSON.stringify({ ...body, ...changes })) as Properties,
        FailOnWarnings: true,
        Mode: 'overwrite',
        Parameters: { endpointConfigurationTypes: 'REGIONAL' },
      },
    },
    Deployment: { Type: 'AWS::ApiGateway::Deployment', Properties: { RestApiId: { Ref: 'Api' } }, DependsOn: 'F' },
    Others: { Type: 'AWS::ApiGateway::Deployment', Properties: { RestApiId: { Ref: 'OtherApi' } } },
    OtherApi: { Type: 'AWS::ApiGateway::RestApi', Properties: { Name: 'other' } },
  };
  const added = expandRestApiBodies({ Resources });
  const of = (type: string, wanted: Properties): [string, Properties] => {
    const [found] = Object.entries(Resources).filter(
      ([, { Type, Properties = {} }]) =>
        Type === `AWS::ApiGateway::${type}` &&
        Object.entries(wanted).every(([name, value]) => JSON.stringify(Properties[name]) === JSON.stringify(value)),
    );
    if (!found) throw new Error(`There is no ${type} with ${JSON.stringify(wanted)}`);
    return [found[0], found[1].Properties ?? {}];
  };
  return { Resources, added, of };
}

describe('The OpenAPI body of an API for an emulator that cannot read it', () => {
  test('becomes resources, on which the deployments of this API depend', () => {
    const { Resources, added } = expanded();
    expect(Resources['Api']?.Properties).toEqual({ Name: 'orders' });
    const [, , , , ...parts] = Object.keys(Resources);
    expect([added, parts.length]).toEqual([7, 7]);
    expect(Resources['Deployment']?.DependsOn).toEqual(['F', ...parts]);
    expect(Resources['Others']?.DependsOn).toBeUndefined();
    for (const part of parts) expect(Resources[part]?.Properties?.['RestApiId']).toEqual({ Ref: 'Api' });
  });

  test('keeps its binary media types', () => {
    const types = ['application/zip'];
    const { Resources } = expanded({ 'x-amazon-apigateway-binary-media-types': types });
    expect(Resources['Api']?.Properties).toEqual({ Name: 'orders', BinaryMediaTypes: types });
  });

  test('has a resource for each part of a path', () => {
    const { of } = expanded();
    const [orders, { ParentId }] = of('Resource', { PathPart: 'orders' });
    expect(ParentId).toEqual({ 'Fn::GetAtt': ['Api', 'RootResourceId'] });
    expect(of('Resource', { PathPart: '{orderId}' })[1]['ParentId']).toEqual({ Ref: orders });
  });

  test('has a method with an authorizer and its function', () => {
    const { of } = expanded();
    const [token, properties] = of('Authorizer', { Type: 'TOKEN' });
    expect(properties).toMatchObject({
      AuthorizerUri: uri,
      AuthorizerResultTtlInSeconds: 300,
      IdentitySource: 'method.request.header.Authorization',
      IdentityValidationExpression: '^Bearer .+$',
    });
    const [resource] = of('Resource', { PathPart: '{orderId}' });
    expect(of('Method', { HttpMethod: 'GET' })[1]).toEqual({
      RestApiId: { Ref: 'Api' },
      ResourceId: { Ref: resource },
      HttpMethod: 'GET',
      ApiKeyRequired: false,
      AuthorizationType: 'CUSTOM',
      AuthorizerId: { Ref: token },
      Integration: { Type: 'AWS_PROXY', IntegrationHttpMethod: 'POST', Uri: uri },
      MethodResponses: [{ StatusCode: '200', ResponseParameters: {} }],
    });
  });

  test('has a method with an API key at the root', () => {
    expect(expanded().of('Method', { HttpMethod: 'POST' })[1]).toMatchObject({
      ResourceId: { 'Fn::GetAtt': ['Api', 'RootResourceId'] },
      ApiKeyRequired: true,
      AuthorizationType: 'NONE',
    });
  });

  test('has a mock for every other method', () => {
    const headers = { 'method.response.header.Allow': "'GET'" };
    expect(expanded().of('Method', { HttpMethod: 'ANY' })[1]).toMatchObject({
      ApiKeyRequired: false,
      AuthorizationType: 'NONE',
      Integration: {
        Type: 'MOCK',
        ContentHandling: 'CONVERT_TO_TEXT',
        PassthroughBehavior: 'NEVER',
        RequestTemplates: { 'application/json': '{"statusCode":405}' },
        IntegrationResponses: [
          {
            StatusCode: '405',
            ContentHandling: 'CONVERT_TO_TEXT',
            ResponseParameters: headers,
            ResponseTemplates: { 'application/json': '{"error":"Method not allowed"}' },
          },
        ],
      },
      MethodResponses: [{ StatusCode: '405', ResponseParameters: { 'method.response.header.Allow': true } }],
    });
  });

  test('has gateway responses', () => {
    expect(expanded().of('GatewayResponse', { ResponseType: 'THROTTLED' })[1]).toMatchObject({
      StatusCode: '429',
      ResponseParameters: { 'gatewayresponse.header.x': 'context.requestId' },
      ResponseTemplates: { 'application/json': '{}' },
    });
  });

  test.each([
    ['an extension', { 'x-amazon-apigateway-policy': {} }],
    ['a field of a method', { paths: { '/': { get: { ...operation('key'), requestBody: {} } } } }],
    ['a second requirement', { paths: { '/': { get: { ...operation('key'), security: [{ key: [] }, {}] } } } }],
  ])('is refused with %s that it does not know', (_what, changes) => {
    expect(() => expanded(changes)).toThrow('"code"');
  });
});
