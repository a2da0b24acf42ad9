import * as z from 'zod';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export interface TemplateResource {
  Type: string;
  Properties?: Record<string, Json>;
  DependsOn?: string | string[];
}

/** A synthesised template, as far as the lane changes it. */
export interface Template {
  Resources: Record<string, TemplateResource>;
  readonly Outputs?: Record<string, { Value: Json }>;
}

/** A value of the template, which may be an intrinsic function. */
const json: z.ZodType<Json> = z.json();
const texts = z.record(z.string(), z.string());

const integration = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('aws_proxy'), httpMethod: z.literal('POST'), uri: json }),
  z.strictObject({
    type: z.literal('mock'),
    contentHandling: z.string().optional(),
    passthroughBehavior: z.string(),
    requestTemplates: texts,
    responses: z.strictObject({
      default: z.strictObject({
        statusCode: z.string(),
        contentHandling: z.string().optional(),
        responseParameters: texts,
        responseTemplates: texts.optional(),
      }),
    }),
  }),
]);

const operation = z.strictObject({
  parameters: z.array(z.unknown()),
  responses: z.record(
    z.string(),
    z.strictObject({ description: z.string(), headers: z.record(z.string(), z.unknown()).default({}) }),
  ),
  security: z.tuple([z.record(z.string(), z.tuple([]))]).optional(),
  'x-amazon-apigateway-integration': integration,
});

const scheme = z.strictObject({
  type: z.literal('apiKey'),
  name: z.string(),
  in: z.literal('header'),
  'x-amazon-apigateway-authtype': z.string().optional(),
  'x-amazon-apigateway-authorizer': z
    .strictObject({
      type: z.literal('token'),
      authorizerUri: json,
      identityValidationExpression: z.string(),
      authorizerResultTtlInSeconds: z.number(),
    })
    .optional(),
});

/** Strict, so that nothing of a body is lost without an error. */
const openApiBody = z.strictObject({
  openapi: z.string(),
  info: z.record(z.string(), z.unknown()),
  paths: z.record(z.string(), z.record(z.string(), operation)),
  components: z.strictObject({ securitySchemes: z.record(z.string(), scheme) }),
  'x-amazon-apigateway-api-key-source': z.literal('HEADER'),
  'x-amazon-apigateway-binary-media-types': z.array(z.string()).optional(),
  'x-amazon-apigateway-gateway-responses': z.record(
    z.string(),
    z.strictObject({ statusCode: z.string().optional(), responseParameters: texts, responseTemplates: texts }),
  ),
});

type Body = z.infer<typeof openApiBody>;
type Resources = Record<string, TemplateResource>;

const ANY_METHOD = 'x-amazon-apigateway-any-method';

/**
 * Replaces the OpenAPI body of each REST API by resources of the same meaning: AWS::ApiGateway::Resource, Method, Authorizer
 * and GatewayResponse, which the API's deployments then depend on.
 * @returns the number of added resources
 * @throws {z.ZodError} for a body with anything that has no such resource
 */
export function expandRestApiBodies(template: Pick<Template, 'Resources'>): number {
  const { Resources } = template;
  let added = 0;
  for (const [logicalId, { Type, Properties = {} }] of Object.entries(Resources)) {
    if (Type !== 'AWS::ApiGateway::RestApi' || !('Body' in Properties)) continue;
    const body = openApiBody.parse(Properties['Body']);
    const parts = partsOf(logicalId, body);
    const BinaryMediaTypes = body['x-amazon-apigateway-binary-media-types'];
    for (const property of ['Body', 'FailOnWarnings', 'Mode', 'Parameters'])
      Reflect.deleteProperty(Properties, property);
    if (BinaryMediaTypes) Object.assign(Properties, { BinaryMediaTypes });
    for (const resource of Object.values(Resources)) {
      if (resource.Type === 'AWS::ApiGateway::Deployment' && refersTo(resource.Properties?.['RestApiId'], logicalId))
        resource.DependsOn = [...[resource.DependsOn ?? []].flat(), ...Object.keys(parts)];
    }
    Object.assign(Resources, parts);
    added += Object.keys(parts).length;
  }
  return added;
}

function partsOf(api: string, body: Body): Resources {
  const RestApiId = { Ref: api };
  const parts: Resources = {};
  const names = new Map<string, string>();
  const add = (kind: string, of: string, properties: Record<string, Json | undefined>): string => {
    const logicalId = `${api}${kind}${names.size}`;
    names.set(`${kind} ${of}`, logicalId);
    const known = Object.entries(properties).filter((entry): entry is [string, Json] => entry[1] !== undefined);
    const Properties = { RestApiId, ...Object.fromEntries(known) };
    parts[logicalId] = { Type: `AWS::ApiGateway::${kind}`, Properties };
    return logicalId;
  };

  const resourceOf = (path: string): Json => {
    if (path === '') return { 'Fn::GetAtt': [api, 'RootResourceId'] };
    const known = names.get(`Resource ${path}`);
    if (known !== undefined) return { Ref: known };
    const slash = path.lastIndexOf('/');
    const ParentId = resourceOf(path.slice(0, slash));
    return { Ref: add('Resource', path, { ParentId, PathPart: path.slice(slash + 1) }) };
  };

  const { securitySchemes } = body.components;
  for (const [name, one] of Object.entries(securitySchemes)) {
    const authorizer = one['x-amazon-apigateway-authorizer'];
    if (!authorizer) continue;
    add('Authorizer', name, {
      Name: name,
      Type: authorizer.type.toUpperCase(),
      AuthorizerUri: authorizer.authorizerUri,
      AuthorizerResultTtlInSeconds: authorizer.authorizerResultTtlInSeconds,
      IdentitySource: `method.request.header.${one.name}`,
      IdentityValidationExpression: authorizer.identityValidationExpression,
    });
  }
  for (const [type, one] of Object.entries(body['x-amazon-apigateway-gateway-responses'])) {
    add('GatewayResponse', type, {
      ResponseType: type,
      StatusCode: one.statusCode,
      ResponseParameters: one.responseParameters,
      ResponseTemplates: one.responseTemplates,
    });
  }
  for (const [path, operations] of Object.entries(body.paths)) {
    for (const [key, one] of Object.entries(operations)) {
      const httpMethod = key === ANY_METHOD ? 'ANY' : key.toUpperCase();
      const [scheme] = Object.keys(one.security?.[0] ?? {});
      const authorizer = names.get(`Authorizer ${scheme ?? ''}`);
      add('Method', `${httpMethod} ${path}`, {
        ResourceId: resourceOf(path === '/' ? '' : path),
        HttpMethod: httpMethod,
        ApiKeyRequired: scheme !== undefined && authorizer === undefined,
        AuthorizationType: authorizer === undefined ? 'NONE' : 'CUSTOM',
        AuthorizerId: authorizer === undefined ? undefined : { Ref: authorizer },
        Integration: integrationOf(one['x-amazon-apigateway-integration']),
        MethodResponses: Object.entries(one.responses).map(([status, { headers }]) => ({
          StatusCode: status,
          ResponseParameters: Object.fromEntries(
            Object.keys(headers).map((name) => [`method.response.header.${name}`, true]),
          ),
        })),
      });
    }
  }
  return parts;
}

function integrationOf(one: z.infer<typeof integration>): Json {
  if (one.type === 'aws_proxy') return { Type: 'AWS_PROXY', IntegrationHttpMethod: one.httpMethod, Uri: one.uri };
  const { statusCode, contentHandling, responseParameters, responseTemplates = {} } = one.responses.default;
  const handled = (ContentHandling: string | undefined) => (ContentHandling === undefined ? {} : { ContentHandling });
  return {
    Type: 'MOCK',
    ...handled(one.contentHandling),
    PassthroughBehavior: one.passthroughBehavior.toUpperCase(),
    RequestTemplates: one.requestTemplates,
    IntegrationResponses: [
      {
        StatusCode: statusCode,
        ...handled(contentHandling),
        ResponseParameters: responseParameters,
        ResponseTemplates: responseTemplates,
      },
    ],
  };
}

const refersTo = (value: Json | undefined, logicalId: string): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && value['Ref'] === logicalId;
