/**
 * The OpenAPI 3.0 document that an API is imported from: API Gateway developer guide, "OpenAPI extensions for API
 * Gateway" and "Amazon API Gateway important notes" (REST APIs). A field that is not here is refused: an import that
 * fails on warnings refuses what it does not know, and ignores without a word what it does not support.
 */
import * as z from 'zod';
import { authorizerExtension } from './authorizer';
import { binaryMediaTypes } from './binary-media-types';
import { gatewayResponse, REPLACEABLE_TYPES } from './gateway-responses';
import { mockIntegration } from './integrations/mock-integration';

const unsupported = (what: string) => z.undefined({ error: `${what} not supported on this machine` }).optional();

const text = z.string().optional();

/** Headers of the reply are declared with a schema; bodies would need models. */
const response = z.strictObject({
  description: z.string(),
  headers: z
    .record(z.string(), z.strictObject({ description: text, schema: z.strictObject({ type: z.literal('string') }) }))
    .default({}),
  content: z.strictObject({}, { error: 'models are not supported on this machine' }).optional(),
});

const parameter = z.strictObject({
  name: z.string(),
  in: z.literal('path', { error: 'only path parameters are supported on this machine' }),
  required: z.literal(true),
  description: text,
  schema: z.strictObject({ type: z.literal('string') }),
});

/** API Gateway's own default, and the longest that it allows, is 29 seconds. */
const proxyIntegration = z.strictObject({
  type: z.literal('aws_proxy'),
  httpMethod: z.literal('POST', { error: 'functions are called with POST' }),
  uri: z.string(),
  timeoutInMillis: z.number().min(50).max(29_000).default(29_000),
  passthroughBehavior: text,
  credentials: unsupported('credentials of an integration are'),
});

const operation = z.strictObject({
  operationId: text,
  summary: text,
  description: text,
  tags: z.array(z.string()).optional(),
  parameters: z.array(parameter).default([]),
  responses: z.record(z.string().regex(/^[1-5]\d\d$/), response).default({}),
  // Several requirements are not alternatives: the method needs all of them.
  security: z
    .array(z.record(z.string(), z.array(z.never({ error: 'scopes are for Cognito’s authorizers' }))))
    .default([]),
  requestBody: unsupported('models are'),
  'x-amazon-apigateway-auth': z.strictObject({ type: z.literal('NONE') }).optional(),
  'x-amazon-apigateway-integration': z.discriminatedUnion('type', [proxyIntegration, mockIntegration]),
  'x-amazon-apigateway-request-validator': unsupported('request validators are'),
});

/** Operations of a path; OpenAPI's `trace` is no method of API Gateway. */
const pathItem = z.strictObject({
  summary: text,
  description: text,
  parameters: z.array(parameter).default([]),
  delete: operation.optional(),
  get: operation.optional(),
  head: operation.optional(),
  options: operation.optional(),
  patch: operation.optional(),
  post: operation.optional(),
  put: operation.optional(),
  'x-amazon-apigateway-any-method': operation.optional(),
});

const securityScheme = z.strictObject({
  type: z.literal('apiKey', { error: 'the type of a security scheme is apiKey, whatever it checks' }),
  name: z.string(),
  in: z.literal('header'),
  description: text,
  'x-amazon-apigateway-authtype': text,
  'x-amazon-apigateway-authorizer': authorizerExtension.optional(),
});

const endpointConfiguration = z.strictObject({
  disableExecuteApiEndpoint: z.literal(false, { error: 'there is no other address on this machine' }).optional(),
  vpcEndpointIds: unsupported('private endpoints are'),
});

const server = z.strictObject({
  url: z.string(),
  description: text,
  'x-amazon-apigateway-endpoint-configuration': endpointConfiguration.optional(),
});

export const openApiDocument = z.strictObject({
  openapi: z.string().regex(/^3\.0\.\d+$/, { error: 'API Gateway imports OpenAPI 3.0 only' }),
  info: z.strictObject({ title: z.string(), version: z.string(), description: text }),
  tags: z.array(z.strictObject({ name: z.string(), description: text })).optional(),
  servers: z.array(server).optional(),
  security: z.undefined({ error: 'API Gateway ignores security at the root: each operation needs its own' }).optional(),
  paths: z.record(z.string(), pathItem),
  components: z.strictObject({ securitySchemes: z.record(z.string(), securityScheme).default({}) }).default({
    securitySchemes: {},
  }),
  'x-amazon-apigateway-api-key-source': z.literal('HEADER').optional(),
  'x-amazon-apigateway-binary-media-types': binaryMediaTypes.default([]),
  'x-amazon-apigateway-gateway-responses': z.partialRecord(z.enum(REPLACEABLE_TYPES), gatewayResponse).default({}),
  'x-amazon-apigateway-importexport-version': z.literal('1.0').optional(),
  'x-amazon-apigateway-minimum-compression-size': unsupported('compression is'),
  'x-amazon-apigateway-policy': unsupported('resource policies are'),
  'x-amazon-apigateway-request-validators': unsupported('request validators are'),
});

export type OpenApiDocument = z.infer<typeof openApiDocument>;
export type Operation = z.infer<typeof operation>;
export type Parameter = z.infer<typeof parameter>;
export type SecurityScheme = z.infer<typeof securityScheme>;
