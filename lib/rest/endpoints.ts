import { Validations } from 'aws-cdk-lib/core';
import { AuthorizationType, LambdaIntegration, type Method } from 'aws-cdk-lib/aws-apigateway';
import { Construct } from 'constructs';
import { basename } from 'node:path';
import type { Endpoint, Setting } from '../../contract/endpoint';
import { ApiFunction } from '../functions/api-function';
import type { Authorizer } from './authorizer';
import { groupBy, routesOf, usesOf, type EndpointTable, type Route } from './endpoint-table';
import { addFixedReply } from './fixed-reply';
import type { RestApi } from './rest-api';
import type { Sockets } from '../realtime/websocket-api';
import type { Tables } from '../tables';
import { grantVideo } from '../shares/video';

export interface EndpointsProps {
  readonly table: EndpointTable;
  readonly api: RestApi;
  readonly authorizer: Authorizer;
  readonly tables: Tables;
  readonly sockets: Sockets;
  readonly settings: Readonly<Record<Setting, string>>;
}

/** Everything that the table of endpoints promises: a function per handler, a method per endpoint, 405 elsewhere. */
export class Endpoints extends Construct {
  /** The methods that are called without a token: where tokens are asked for. */
  readonly withoutToken: readonly Method[];

  /** The functions that share codes are sent to. */
  readonly takingShareCodes: readonly ApiFunction[];

  constructor(
    scope: Construct,
    id: string,
    private readonly props: EndpointsProps,
  ) {
    super(scope, id);
    const routes = routesOf(props.table);
    const withoutToken: Method[] = [];
    const takingShareCodes: ApiFunction[] = [];
    for (const [handler, served] of groupBy(routes, ({ endpoint }) => endpoint.handler)) {
      const made = this.make(
        handler,
        served.map(({ endpoint }) => endpoint),
      );
      if (served.some(({ path }) => path.includes('{shareCode}'))) takingShareCodes.push(made);
      const integration = new LambdaIntegration(made.lambda, { allowTestInvoke: false });
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
    this.takingShareCodes = takingShareCodes;
  }

  private make(handler: string, served: readonly Endpoint[]): ApiFunction {
    const { tables, settings } = this.props;
    const needed = served.flatMap((endpoint) => endpoint.settings ?? []);
    const made = new ApiFunction(this, basename(handler), {
      entry: `http/${handler}`,
      description: served[0]?.summary ?? handler,
      environment: Object.fromEntries(needed.map((name) => [name, settings[name]])),
    }).uses(tables, usesOf(served));
    if (served.some(({ video }) => video)) grantVideo(made);
    if (served.some(({ closesSockets }) => closesSockets)) this.props.sockets.grantManage(made);
    return made;
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
        reason: 'Where tokens are issued there is none yet: the caller needs an API key and the client secret.',
      });
    }
    return added;
  }
}
