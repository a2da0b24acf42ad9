import { Construct, type IDependable } from 'constructs';
import type { Contract } from '../../contract/contract';
import type { CustomDomain } from '../functions/deployment-options';
import type { UserPoolWithKeys } from '../access/user-pool';
import type { Tables } from '../functions/tables';
import { ShareBroadcast } from '../channels/share-broadcast';
import { FanOut } from '../channels/fan-out';
import { Heartbeat } from '../channels/heartbeat';
import { MqttChannels } from '../channels/mqtt';
import { Reconcile } from '../channels/reconcile';
import { Snapshots } from '../channels/snapshots';
import { TelemetryChannel } from '../channels/telemetry-channel';
import { ViewerCounts } from '../channels/viewer-counts';
import { WebSocketActions } from './websocket-action-functions';
import { WebSocketChannels } from '../channels/websocket-api';

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
