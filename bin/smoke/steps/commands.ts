import type { EndpointKey } from '../../../contract/endpoints';
import type { Answer } from '../../client/rest-client';
import { call, callAndExpectReply, expectRefusal, expectThat, type Call, unknownId } from '../api-calls';
import { inOneLine, MissingPrerequisite } from '../errors';
import type { Step, SmokeContext } from '../smoke-context';
import { scopesIn } from './token';

// Commands move drones, so no step sends one to a device that exists. Nor does one hold the control of a device, which
// would refuse the commands of others.

const KEY = 'POST /v3/devices/{deviceId}/commands' satisfies EndpointKey;
const SCOPE = 'command:control';

/** The device that the read endpoints are asked about. */
const observed = (context: SmokeContext) => ({ deviceId: context.get('fleet').observedId });

async function capabilities(context: SmokeContext): Promise<undefined> {
  const path = observed(context);
  const reply = await callAndExpectReply(context, 'GET /v3/devices/{deviceId}/capabilities', { path });
  expectOf(path.deviceId, [reply.capabilities]);
}

async function listCommands(context: SmokeContext): Promise<undefined> {
  const path = observed(context);
  const { commands, count } = await callAndExpectReply(context, 'GET /v3/devices/{deviceId}/commands', { path });
  expectThat(count === commands.length, `a count of ${commands.length}`, () => `${count}`);
  expectOf(path.deviceId, commands);
}

async function control(context: SmokeContext): Promise<undefined> {
  const path = observed(context);
  const reply = await callAndExpectReply(context, 'GET /v3/devices/{deviceId}/control', { path });
  expectOf(path.deviceId, [reply.control]);
}

/** @throws Unexpected unless all are of the device */
function expectOf(deviceId: string, all: readonly { readonly deviceId: string }[]): void {
  const other = all.find((one) => one.deviceId !== deviceId);
  expectThat(!other, `those of ${deviceId}`, () => JSON.stringify(other));
}

/** Sends a command to a device that does not exist: it can move no drone, even if a faulty service accepts it. */
const commandNobody = (context: SmokeContext, content: Pick<Call, 'body' | 'token'>): Promise<Answer> =>
  call(context, KEY, { path: { deviceId: unknownId(context.get('fleet').observedId) }, ...content });

async function withoutScope(context: SmokeContext): Promise<undefined> {
  const token = context.get('narrowToken');
  if (scopesIn(token).includes(SCOPE)) throw new MissingPrerequisite(`needs a second client without ${SCOPE}`);
  expectRefusal(await commandNobody(context, { body: { name: 'TAKE_PHOTO' }, token }), 403, 'Forbidden');
}

/** Sends a command to nobody, as a client that may. @throws MissingPrerequisite when it may not */
function commandWithScope(context: SmokeContext, body: object): Promise<Answer> {
  if (!scopesIn(context.get('token')).includes(SCOPE)) throw new MissingPrerequisite(`needs a client with ${SCOPE}`);
  return commandNobody(context, { body });
}

/** @param path the field that the refusal names */
async function invalid(context: SmokeContext, body: object, path: string): Promise<undefined> {
  const answer = await commandWithScope(context, body);
  expectRefusal(answer, 400, 'invalid_request');
  const named = JSON.stringify(answer.body).includes(JSON.stringify(path));
  expectThat(named, `details that name ${path}`, () => inOneLine(answer));
}

async function unknownDevice(context: SmokeContext): Promise<undefined> {
  expectRefusal(await commandWithScope(context, { name: 'TAKE_PHOTO' }), 404, 'Resource not found');
}

export const commandSteps: readonly Step[] = [
  { name: 'capabilities of a device', run: capabilities },
  { name: 'list commands of a device', run: listCommands },
  { name: 'who has the control of a device', run: control },
];

/** After the refusals, of which one provides a token with fewer scopes. */
export const commandRefusals: readonly Step[] = [
  { name: '403 for a command without its scope', part: 'scopes', run: withoutScope },
  { name: '400 for an unknown command', run: (context) => invalid(context, { name: 'SMOKE_TEST' }, 'name') },
  {
    name: '400 for a parameter of another command',
    run: (context) => invalid(context, { name: 'TAKE_PHOTO', height: 30 }, 'height'),
  },
  { name: '404 for a command to an unknown device', run: unknownDevice },
];
