import { Aws } from 'aws-cdk-lib/core';
import { WebSocketIntegrationType, WebSocketRouteIntegration } from 'aws-cdk-lib/aws-apigatewayv2';
import type { ApiFunction } from '../functions/api-function';

/**
 * Invokes a function for the routes of a WebSocket API. The CDK's integration adds a permission for each route, this
 * one none.
 */
export class FunctionIntegration extends WebSocketRouteIntegration {
  constructor(
    id: string,
    private readonly fn: ApiFunction,
  ) {
    super(id);
  }

  override bind() {
    const { functionArn } = this.fn.lambda;
    return {
      type: WebSocketIntegrationType.AWS_PROXY,
      uri: `arn:${Aws.PARTITION}:apigateway:${Aws.REGION}:lambda:path/2015-03-31/functions/${functionArn}/invocations`,
    };
  }
}
