import { Validations } from 'aws-cdk-lib/core';
import { AuthorizationType, LambdaIntegration, type Method } from 'aws-cdk-lib/aws-apigateway';
import { Construct } from 'constructs';
import { basename } from 'node:path';
import { settingsOf, tablesOf, type Endpoint, type Setting } from '../../contract/endpoint';
import { ApiFunction } from '../functions/api-function';
import type { Authorizer } from './authorizer';
import { groupBy, routesOf, type EndpointTable, type Route } from './endpoint-table';
import { addFixedReply } from './fixed-reply';
import type { RestApi } from './rest-api';
import type { WebSocketChannels } from '../realtime/websocket/websocket-api';
import type { Tables } from '../tables';
import { grantVideo } from '../shares/video';

export interface EndpointsProps {
  readonly table: EndpointTable;
  readonly api: RestApi;
  readonly authorizer: Authorizer;
  readonly tables: Tables;
  readonly sockets: WebSocketChannels;
  readonly settings: Readonly<Record<Setting, string>>;
  /** Whether X-Ray records traces. */
  readonly traced: boolean;
}

/** API Gateway ends a call after 29 seconds. While a function waits, it needs no processor, and memory is what it costs. */
const WAITING = { timeoutSeconds: 29, memoryMb: 256 };

/** A function per handler and a method per endpoint of the contract; other methods of these paths answer 405. */
export class Endpoints extends Construct {
  /** Methods that need no access token: those that issue tokens. */
  readonly withoutToken: readonly Method[];
  /** Functions that receive share codes. */
  readonly shareCodeFunctions: readonly ApiFunction[];

  constructor(
    scope: Construct,
    id: string,
    private readonly props: EndpointsProps,
  ) {
    super(scope, id);
    const routes = routesOf(props.table);
    const withoutToken: Method[] = [];
    const shareCodeFunctions: ApiFunction[] = [];
    for (const [handler, served] of groupBy(routes, ({ endpoint }) => endpoint.handler)) {
      const fn = this.createFunction(
        handler,
        served.map(({ endpoint }) => endpoint),
      );
      if (served.some(({ path }) => path.includes('{shareCode}'))) shareCodeFunctions.push(fn);
      const integration = new LambdaIntegration(fn.lambda, { allowTestInvoke: false });
      for (const route of served) {
        const method = this.addMethod(route, integration);
        if (route.endpoint.scope === null) withoutToken.push(method);
      }
    }
    for (const [path, served] of groupBy(routes, (route) => route.path)) {
      const allow = served.map(({ method }) => method).sort();
      addFixedReply(props.api.resource(path), 405, 'Method not allowed', { Allow: allow.join(', ') });
    }
    this.withoutToken = withoutToken;
    this.shareCodeFunctions = shareCodeFunctions;
  }

  private createFunction(handler: string, served: readonly Endpoint[]): ApiFunction {
    const { tables, settings, traced } = this.props;
    const needed = served.flatMap(settingsOf);
    const fn = new ApiFunction(this, basename(handler), {
      entry: `http/${handler}`,
      description: served[0]?.summary ?? handler,
      traced,
      environment: Object.fromEntries(needed.map((name) => [name, settings[name]])),
      ...(served.some(({ waits }) => waits) && WAITING),
    }).uses(tables, ...served.map(tablesOf));
    if (served.some(({ video }) => video)) grantVideo(fn);
    if (served.some(({ closesSockets }) => closesSockets)) this.props.sockets.grantManage(fn);
    return fn;
  }

  private addMethod({ method, path, endpoint }: Route, integration: LambdaIntegration): Method {
    const { api, authorizer } = this.props;
    const guard =
      endpoint.scope === null
        ? { apiKeyRequired: true, authorizationType: AuthorizationType.NONE }
        : { authorizer: authorizer.authorizer, authorizationType: AuthorizationType.CUSTOM };
    const added = api.resource(path).addMethod(method, integration, guard);
    if (endpoint.scope === null) {
      Validations.of(added).acknowledge({
        id: 'AwsSolutions-APIG4',
        reason: 'It issues the tokens: the caller needs an API key and the client secret.',
      });
    }
    return added;
  }
}
