import { Construct } from 'constructs';
import { basename } from 'node:path';
import { neededSettings, grantedTables, type Endpoint, type Setting } from '../../contract/terms/endpoint';
import { ApiFunction, grantVideo } from '../functions/api-function';
import type { WebSocketChannels } from '../channels/websocket-api';
import type { MissionFiles } from '../missions/mission-bucket';
import type { PlatformIntegration } from '../platform/platform-integration';
import type { Tables } from '../foundation/tables';
import { groupBy, listRoutes, type EndpointTable } from '../rest/endpoint-routes';
import { functionName, methodPattern } from '../rest/invoked-functions';
import { STAGE, type RestApi } from '../rest/rest-api';

export interface EndpointsProps {
  readonly table: EndpointTable;
  readonly api: RestApi;
  readonly tables: Tables;
  readonly sockets: WebSocketChannels;
  readonly platform: PlatformIntegration;
  readonly missionFiles: MissionFiles;
  readonly settings: Readonly<Record<Setting, string>>;
  /** Whether X-Ray records traces. */
  readonly traced: boolean;
}

/** API Gateway ends a call after 29 seconds. While a function waits, it needs no processor, and memory is what it costs. */
const WAITING = { timeoutSeconds: 29, memoryMb: 256 };

/** A function per handler of the contract, which the API's methods for its endpoints may invoke. */
export class Endpoints extends Construct {
  /** Functions that receive share codes. */
  readonly shareCodeFunctions: readonly ApiFunction[];

  constructor(
    scope: Construct,
    id: string,
    private readonly props: EndpointsProps,
  ) {
    super(scope, id);
    const routes = listRoutes(props.table);
    const shareCodeFunctions: ApiFunction[] = [];
    for (const [handler, served] of groupBy(routes, ({ endpoint }) => endpoint.handler)) {
      const fn = this.createFunction(
        handler,
        served.map(({ endpoint }) => endpoint),
      );
      props.api.invokes(fn, `${STAGE}/${methodPattern(served)}`);
      if (served.some(({ path }) => path.includes('{shareCode}'))) shareCodeFunctions.push(fn);
    }
    this.shareCodeFunctions = shareCodeFunctions;
  }

  private createFunction(handler: string, served: readonly Endpoint[]): ApiFunction {
    const { tables, settings, traced } = this.props;
    const needed = served.flatMap(neededSettings);
    const fn = new ApiFunction(this, basename(handler), {
      entry: handler,
      name: functionName(this, handler),
      description: served[0]?.summary ?? handler,
      traced,
      environment: Object.fromEntries(needed.map((name) => [name, settings[name]])),
      ...(served.some(({ waits }) => waits) && WAITING),
    }).uses(tables, ...served.map(grantedTables));
    if (served.some(({ video }) => video)) grantVideo(fn);
    if (served.some(({ closesSockets }) => closesSockets)) this.props.sockets.grantManage(fn);
    const fileUses = served.flatMap(({ missionFiles = [] }) => missionFiles);
    if (fileUses.length > 0) this.props.missionFiles.grant(fn, fileUses);
    if (served.some(({ setsDeadlines }) => setsDeadlines)) this.props.platform.grantDeadlines(fn);
    if (served.some(({ asksPlatform }) => asksPlatform)) this.props.platform.grantAsk(fn);
    return fn;
  }
}
