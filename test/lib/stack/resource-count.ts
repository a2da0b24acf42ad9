import * as z from 'zod/mini';
import { contract, type Contract } from '../../../contract/contract';
import { endpointTable } from '../../../contract/endpoint-table';
import type { Endpoint } from '../../../contract/terms/endpoint';
import type { MessagingTexts } from '../../../contract/messaging-texts';
import type { WebSocketAction } from '../../../contract/terms/websocket-action';
import { everyOption } from '../../../bin/deployer-policy/every-option';
import { smallContract, synthesise, synthesiseContract, type Synthesised } from '../synthesised';

const sizeOf = ({ resources }: Pick<Synthesised, 'resources'>) => Object.keys(resources).length;

/** Types that a change of the contract adds, each as often as it does. */
function added(changed: Contract): string[] {
  const typesOf = (one: Contract) => {
    const counts = new Map<string, number>();
    for (const { Type } of Object.values(synthesiseContract(one).resources))
      counts.set(Type, (counts.get(Type) ?? 0) + 1);
    return counts;
  };
  const before = typesOf(smallContract);
  return [...typesOf(changed)]
    .flatMap(([type, count]) => Array<string>(count - (before.get(type) ?? 0)).fill(type))
    .sort();
}

/** Resources of the functions of endpoints. */
const FOR_ENDPOINTS = 4 * new Set(Object.values(endpointTable).map(({ handler }) => handler)).size;

/** CloudFormation allows 500 (CloudFormation user guide, "Understand CloudFormation quotas"). */
test.each([
  ['by default', {}],
  ['with every option', everyOption],
])('the largest template has at most 290 resources beside those of endpoints %s', (_, options) => {
  const { edgeRateLimit: _edge, ...own } = { edgeRateLimit: '', ...options };
  expect(sizeOf(synthesise(own))).toBeLessThanOrEqual(290 + FOR_ENDPOINTS);
});

test('an endpoint adds four resources', () => {
  const land: Endpoint = { ...contract.endpoints['GET /v3/jobs/{jobId}'], handler: 'jobs/get-job' };
  const endpoints = { ...smallContract.endpoints, 'GET /v3/jobs/{jobId}/landing': land };
  expect(added({ ...smallContract, endpoints })).toEqual([
    'AWS::IAM::Role',
    'AWS::Lambda::Function',
    'AWS::Lambda::Permission',
    'AWS::Logs::LogGroup',
  ]);
});

test('a WebSocket action adds seven resources', () => {
  const land: WebSocketAction & MessagingTexts = {
    summary: 'Land the drone',
    description: 'The drone lands where it is.',
    needs: 'viewer',
    message: z.object({ action: z.string() }),
    reply: z.object({ type: z.literal('accepted') }),
    refusals: [],
    handler: 'jobs/get-job',
    tables: { shares: ['get'] },
  };
  expect(added({ ...smallContract, actions: { ...contract.actions, land } })).toEqual([
    'AWS::ApiGatewayV2::Integration',
    'AWS::ApiGatewayV2::Route',
    'AWS::ApiGatewayV2::RouteResponse',
    'AWS::IAM::Role',
    'AWS::Lambda::Function',
    'AWS::Lambda::Permission',
    'AWS::Logs::LogGroup',
  ]);
});

test('API Gateway has one permission for a function', () => {
  const permissions = Object.values(synthesise().byPath('AWS::Lambda::Permission'));
  const invoked = permissions
    .filter(({ Properties: { Principal } }) => Principal === 'apigateway.amazonaws.com')
    .map(({ Properties: { FunctionName } }) => JSON.stringify(FunctionName));
  expect(invoked.length).toBeGreaterThan(20);
  expect(new Set(invoked).size).toBe(invoked.length);
});
