import { Construct } from 'constructs';
import { basename } from 'node:path';
import type { Contract } from '../../contract/contract';
import type { Binding } from '../../contract/terms/websocket-action';
import { ApiFunction } from '../functions/api-function';
import { countErrors } from '../functions/error-alarm';
import type { UserPoolWithKeys } from '../access/user-pool';
import { grantVideo } from '../functions/grant-video';
import type { Tables } from '../functions/tables';
import type { Snapshots } from '../channels/snapshots';
import type { TelemetryChannel } from '../channels/telemetry-channel';
import type { WebSocketChannels } from '../channels/websocket-api';

export interface WebSocketActionsProps {
  readonly actions: Contract['actions'];
  readonly sockets: WebSocketChannels;
  readonly tables: Tables;
  readonly snapshots: Snapshots;
  readonly telemetry: TelemetryChannel;
  readonly identity: UserPoolWithKeys;
}

/** A route, and a function with its grants, for each action of the contract. */
export class WebSocketActions extends Construct {
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
