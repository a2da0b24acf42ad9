import * as z from 'zod/mini';
import type { StatusChannel } from '../../../contract/channels/status-channels';
import { contract } from '../../../contract/contract';
import type { MessagingTexts } from '../../../contract/messaging-texts';
import type { WebSocketAction } from '../../../contract/terms/websocket-action';
import { environmentOf, ownFunctions, permissionsFor, permissionsIn, videoPermissions } from '../permissions';
import { smallContract, smallTable, synthesise, synthesiseContract } from '../synthesised';

const land: WebSocketAction & MessagingTexts = {
  summary: 'Land the drone',
  description: 'The drone lands where it is.',
  needs: 'viewer',
  message: z.object({ action: z.string() }),
  reply: z.object({ type: z.literal('accepted') }),
  refusals: [],
  // Any function of which there is no other.
  handler: 'jobs/get-job',
  tables: { shares: ['get'] },
  bindings: ['video', 'tokens'],
};
const dock: StatusChannel & MessagingTexts = {
  ...contract.channels.group,
  topicSuffix: 'DOCK/STATUS',
  path: '/v3/docks/{id}/status/ws',
  // Operations that the functions do not need otherwise.
  tables: { authorise: { fleet: ['scan'] }, state: { partners: ['batchGet'] } },
};

const stack = synthesiseContract({
  ...smallContract,
  actions: { ...contract.actions, land },
  channels: { ...contract.channels, dock },
});
const { byPath } = stack;
const { permissionsOf } = permissionsIn(stack);

describe('A new row in the table of WebSocket actions', () => {
  const path = 'Realtime/Actions/GetJob';

  test('adds a route with its response', () => {
    const routes = Object.values(byPath('AWS::ApiGatewayV2::Route')).map(({ Properties }) => Properties['RouteKey']);
    expect(routes).toContain('land');
  });

  test('adds a function with the permissions and settings of the row, and access to its session', () => {
    expect(permissionsOf(path)).toEqual(
      permissionsFor(path, [land.tables, { connections: ['get'] }], videoPermissions),
    );
    const settings = Object.keys(environmentOf(ownFunctions(stack)[`${path}/Function`]));
    expect(settings.sort()).toEqual([
      'CAPABILITY',
      'CONNECTIONS_TABLE',
      'ISSUER',
      'METRIC_NAMESPACE',
      'RESOURCE_SERVERS',
      'SHARES_TABLE',
    ]);
  });

  test('adds no alarm: its errors are counted with those of all sockets', () => {
    const alarms = Object.keys(byPath('AWS::CloudWatch::Alarm'));
    expect(alarms).toEqual(Object.keys(synthesise({}, smallTable).byPath('AWS::CloudWatch::Alarm')));
    expect(alarms).toContain('Observability/Alarms/SocketsErrors');
    expect(environmentOf(ownFunctions(stack)[`${path}/Function`])).toMatchObject({
      METRIC_NAMESPACE: 'DroneMissionApi',
      CAPABILITY: 'sockets',
    });
  });
});

describe('A new row in the table of channels', () => {
  test('lets the fan-out publish to its topics', () => {
    expect(permissionsOf('Realtime/FanOut/StatusFanOut')).toContain('Allow iot:Publish iot:topic/dock-*/DOCK/STATUS');
  });

  test('lets the handshake use the tables that authorise a subscriber', () => {
    expect(permissionsOf('Realtime/WebSocket/Connect').join()).toMatch(/dynamodb:Scan fleet\b/);
  });

  test.each(['Realtime/Snapshots/SendSnapshot', 'Realtime/FanOut/RetainStatus'])(
    'lets %s use the tables of its state',
    (path) => {
      expect(permissionsOf(path).join()).toMatch(/dynamodb:BatchGetItem partners\b/);
    },
  );

  test('adds its path to the CloudFront function', () => {
    const code = Object.values(byPath('AWS::CloudFront::Function')).map(({ Properties }) => Properties['FunctionCode']);
    expect(code.join('')).toContain('{"kind":"dock","before":"/v3/docks/","after":"/status/ws"}');
  });
});
