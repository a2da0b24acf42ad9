import { Validations } from 'aws-cdk-lib/core';
import { AuthorizationType, MockIntegration, PassthroughBehavior, type IResource } from 'aws-cdk-lib/aws-apigateway';

/** Types of request body that get the reply; API Gateway answers 415 to others before it looks at the reply. */
const bodyTypes = [
  'application/json',
  'application/x-www-form-urlencoded',
  'application/octet-stream',
  'multipart/form-data',
  'text/plain',
];

/**
 * Answers every method of a resource that has no integration of its own with the same error, without a function
 * and without asking who calls: `{"error":<text>}`, the headers given and `x-request-id`.
 */
export function addFixedReply(
  resource: IResource,
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  const values = {
    'x-request-id': 'context.requestId',
    ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, `'${value}'`])),
  };
  const named = Object.entries(values).map(([name, value]) => [`method.response.header.${name}`, value] as const);
  const statusCode = String(status);

  const method = resource.addMethod(
    'ANY',
    new MockIntegration({
      passthroughBehavior: PassthroughBehavior.NEVER,
      requestTemplates: Object.fromEntries(bodyTypes.map((type) => [type, JSON.stringify({ statusCode: status })])),
      integrationResponses: [
        {
          statusCode,
          responseParameters: Object.fromEntries(named),
          responseTemplates: { 'application/json': JSON.stringify({ error: text }) },
        },
      ],
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
    reason: 'Says nothing but that there is nothing here, which needs no token.',
  });
}
