import { Validations } from 'aws-cdk-lib/core';
import { AuthorizationType, MockIntegration, PassthroughBehavior, type IResource } from 'aws-cdk-lib/aws-apigateway';

/** Content types of requests that get the reply; API Gateway answers 415 to others. */
const bodyTypes = [
  'application/json',
  'application/x-www-form-urlencoded',
  'application/octet-stream',
  'multipart/form-data',
  'text/plain',
];

type Headers = Readonly<Record<string, string>>;

/**
 * Answers every other method of a resource with a fixed error, without a function or authorization: `{"error":<text>}`, the
 * given headers and `x-request-id`.
 */
export function addFixedReply(resource: IResource, status: number, text: string, headers: Headers = {}): void {
  const responseTemplates = { 'application/json': JSON.stringify({ error: text }) };
  addMock(resource, 'ANY', status, headers, { responseTemplates });
}

/** Answers GET with a redirect, without a body, a function or authorization. */
export function addRedirect(resource: IResource, location: string): void {
  addMock(resource, 'GET', 302, { Location: location });
}

function addMock(resource: IResource, httpMethod: string, status: number, headers: Headers, body: object = {}): void {
  const values = {
    'x-request-id': 'context.requestId',
    ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, `'${value}'`])),
  };
  const named = Object.entries(values).map(([name, value]) => [`method.response.header.${name}`, value] as const);
  const statusCode = String(status);

  const method = resource.addMethod(
    httpMethod,
    new MockIntegration({
      passthroughBehavior: PassthroughBehavior.NEVER,
      requestTemplates: Object.fromEntries(bodyTypes.map((type) => [type, JSON.stringify({ statusCode: status })])),
      integrationResponses: [{ statusCode, responseParameters: Object.fromEntries(named), ...body }],
    }),
    {
      authorizationType: AuthorizationType.NONE,
      methodResponses: [
        { statusCode, responseParameters: Object.fromEntries(named.map(([parameter]) => [parameter, true])) },
      ],
    },
  );
  Validations.of(method).acknowledge({
    id: 'AwsSolutions-APIG4',
    reason: 'A fixed redirect, 404 or 405, which needs no token.',
  });
}
