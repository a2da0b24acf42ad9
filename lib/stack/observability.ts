import { Construct } from 'constructs';
import type { WebSocketChannels } from '../channels/websocket-api';
import type { Endpoints } from './endpoint-functions';
import type { RestApi } from '../rest/rest-api';
import type { EndpointTable } from '../rest/endpoint-routes';
import { ShareGuesses } from '../shares/share-guesses';
import type { Tables } from '../foundation/tables';
import { alarmDefinitions } from '../functions/alarm-definitions';
import { Alarms, type AlarmTopics, defineServiceAlarms } from '../observability/alarms';
import { Dashboard } from '../observability/dashboard';

export interface ObservabilityProps {
  readonly api: RestApi;
  readonly table: EndpointTable;
  readonly endpoints: Endpoints;
  readonly tables: Tables;
  readonly sockets: WebSocketChannels;
  readonly topics: AlarmTopics;
}

/** Alarms and dashboard. Create it last: it includes only the alarms that constructs have defined before. */
export class Observability extends Construct {
  constructor(scope: Construct, id: string, { topics, ...props }: ObservabilityProps) {
    super(scope, id);
    const { endpoints, sockets } = props;
    new ShareGuesses(this, 'ShareGuesses', { functions: [sockets.connect, ...endpoints.shareCodeFunctions] });
    defineServiceAlarms(this, props);
    const definitions = alarmDefinitions(this);
    const alarms = new Alarms(this, 'Alarms', { definitions, topics });
    new Dashboard(this, 'Dashboard', { alarms, definitions, ...props });
  }
}
