import { Construct, type IDependable } from 'constructs';
import type { Contract } from '../../contract/contract';
import type { CustomDomain } from '../foundation/deployment-options';
import type { UserPoolWithKeys } from '../access/user-pool';
import type { Tables } from '../foundation/tables';
import { ShareBroadcast } from '../channels/share-broadcast';
import { FanOut } from '../channels/fan-out';
import { Heartbeat } from '../channels/heartbeat';
import { MqttChannels } from '../channels/mqtt';
import { Reconcile } from '../channels/reconcile';
import { Snapshots } from '../channels/snapshots';
import { TelemetryChannel } from '../channels/telemetry-channel';
import { ViewerCounts } from '../channels/viewer-counts';
import { WebSocketChannels } from '../channels/websocket-api';
import { basename } from 'node:path';
import type { Binding } from '../../contract/terms/websocket-action';
import { ApiFunction, grantVideo } from '../functions/api-function';
import { countErrors } from '../functions/error-alarm';

export interface RealtimeProps {
  readonly contract: Pick<Contract, 'actions' | 'channels'>;
  /** Custom domain of the WSS channels, in addition to the address that CloudFront assigns. */
  readonly webSocketDomain?: CustomDomain | undefined;
  /** Custom domain of the MQTTS channels, in addition to the address that AWS IoT assigns. */
  readonly mqttDomain?: CustomDomain | undefined;
  /** Web ACL in front of the WSS channels and the share page. */
  readonly cloudFrontWebAclArn?: string | undefined;
  /** How long the event log keeps an event. */
  readonly eventRetentionDays: number;
  /** How long the record of a job's flight is kept. */
  readonly flightRetentionDays: number;
  /** The account setting with which API Gateway may write logs. */
  readonly logAccess: IDependable;
  readonly identity: UserPoolWithKeys;
  readonly tables: Tables;
}

/** Status channels over MQTTS and WSS, and live telemetry (spec section 6). */
export class Realtime extends Construct {
  readonly sockets: WebSocketChannels;
  readonly mqtt: MqttChannels;
  readonly telemetry: TelemetryChannel;

  constructor(scope: Construct, id: string, props: RealtimeProps) {
    super(scope, id);
    const { contract, logAccess, identity, tables } = props;
    const { eventRetentionDays, flightRetentionDays } = props;
    const { actions, channels } = contract;
    const viewerCounts = new ViewerCounts(this, 'ViewerCounts', { tables });
    const sockets = new WebSocketChannels(this, 'WebSocket', {
      channels,
      logAccess,
      identity,
      tables,
      viewerCounts,
      domain: props.webSocketDomain,
      webAclArn: props.cloudFrontWebAclArn,
    });
    const snapshots = new Snapshots(this, 'Snapshots', { channels, tables, sockets });
    const telemetry = new TelemetryChannel(this, 'Telemetry', { tables, sockets, flightRetentionDays });
    new WebSocketActions(this, 'Actions', {
      actions,
      tables,
      sockets,
      snapshots,
      telemetry,
      identity,
    });
    this.mqtt = new MqttChannels(this, 'Mqtt', { domain: props.mqttDomain, identity, tables });
    new FanOut(this, 'FanOut', {
      channels,
      tables,
      sockets,
      snapshots,
      eventRetentionDays,
      flightRetentionDays,
    });
    new ShareBroadcast(this, 'Broadcast', {
      tables,
      distribution: sockets.address.distribution,
      first: this.mqtt.managed,
    });
    new Heartbeat(this, 'Heartbeat', { tables, sockets });
    new Reconcile(this, 'Reconcile', { tables });
    this.sockets = sockets;
    this.telemetry = telemetry;
  }
}

interface WebSocketActionsProps {
  readonly actions: Contract['actions'];
  readonly sockets: WebSocketChannels;
  readonly tables: Tables;
  readonly snapshots: Snapshots;
  readonly telemetry: TelemetryChannel;
  readonly identity: UserPoolWithKeys;
}

/** A route, and a function with its grants, for each action of the contract. */
class WebSocketActions extends Construct {
  constructor(scope: Construct, id: string, { actions, ...props }: WebSocketActionsProps) {
    super(scope, id);
    const { sockets, tables, snapshots, telemetry, identity } = props;
    const grants: Readonly<Record<Binding, (action: ApiFunction) => void>> = {
      snapshots: (action) => snapshots.grantRequest(action),
      telemetry: (action) => telemetry.grantAccept(action),
      video: grantVideo,
      tokens: ({ lambda }) => {
        for (const [name, value] of Object.entries(identity.verification)) lambda.addEnvironment(name, value);
      },
      sockets: (action) => sockets.grantManage(action),
    };
    for (const [name, { handler, summary, needs, bindings = [], ...row }] of Object.entries(actions)) {
      const action = new ApiFunction(this, pascalCase(basename(handler)), {
        entry: handler,
        description: summary,
      }).uses(tables, row.tables);
      // The connection's item names the client or viewer.
      if (needs !== 'anyone') action.uses(tables, { connections: ['get'] });
      for (const binding of bindings) grants[binding](action);
      // Messages with an unknown action go to the function that anyone may call.
      sockets.addRoutes(needs === 'anyone' ? [name, '$default'] : [name], action);
      countErrors(action, 'sockets');
    }
  }
}

const pascalCase = (name: string) => name.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());
