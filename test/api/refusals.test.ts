import { telemetryScopes } from '../../contract/telemetry/telemetry.actions';
import { permits, scopeNames, scopes } from '../../contract/terms/scopes';
import type { WebSocketAction } from '../../contract/terms/websocket-action';
import { webSocketActions } from '../../contract/websocket-actions';
import { follow, type Socket } from '../channels/socket';
import { ask, openTelemetry, watch } from '../channels/telemetry-socket';
import { clients } from './client';
import { validRequest, sendTo } from './documents/requests';
import { forgeries } from './forgeries';
import { fleetOf, forbiddenAt, foreignAt, givenCommand, givenJob, givenShare, nobodys } from './given';
import { runPartnerCommand } from './stack/aws-access';
import { resourceOf, type ResourceKind, surfaces, type Answer, type Surface } from './surfaces';
import { openApi, operations, type PlacedOperation } from '../contract/documents/openapi-file';
import type { JsonSchema } from '../../contract/documents/json-schema';

/**
 * Who is refused what, and in which order: 401 before 403 for scopes before 404 before 403 for what is another
 * organisation's.
 */

/** Fields of bodies that name a resource. `deviceId` is not among them: it is refused as invalid beside its group. */
const kinds: Readonly<Record<string, ResourceKind>> = {
  deviceGroupId: 'group',
  missionId: 'mission',
  resourceId: 'device',
  jobId: 'job',
};

interface BodyReference {
  readonly endpoint: string;
  readonly placed: PlacedOperation;
  readonly field: string;
  readonly kind: ResourceKind;
}

/** Names of the fields of an object, or of one of its alternatives. */
function fieldsOf(schema: JsonSchema): string[] {
  const {
    $ref,
    anyOf = [],
    properties = {},
  } = schema as {
    $ref?: string;
    anyOf?: JsonSchema[];
    properties?: object;
  };
  const named = $ref === undefined ? undefined : openApi.components.schemas[$ref.split('/').at(-1) ?? ''];
  return [...(named ? fieldsOf(named) : []), ...anyOf.flatMap(fieldsOf), ...Object.keys(properties)];
}

/** Each field of each body that names a resource. */
const references: readonly BodyReference[] = operations.flatMap((placed) => {
  const { schema } = placed.operation.requestBody?.content['application/json'] ?? {};
  const fields = schema ? new Set(fieldsOf(schema as JsonSchema)) : [];
  return [...fields].flatMap((field) => {
    const kind = kinds[field];
    return kind ? [{ endpoint: `${placed.method} ${placed.path}`, placed, field, kind }] : [];
  });
});

const [stranger] = clients('stranger');
const [partner, former, colleague, ...oneScopeEach] = clients('refusals');
if (!former || !colleague) throw new Error('The organisation of this file has too few clients');
const served = { isRefused: false };

/** Expects an answer, as far as the surface can tell it. */
function expectAnswer(answer: Answer, expected: Answer): void {
  const told = Object.keys(answer) as (keyof Answer)[];
  expect(answer).toEqual(Object.fromEntries(told.map((name) => [name, expected[name] ?? null])));
}

/** @param cause why the token is not accepted; undefined without a token */
const unauthorized = (cause?: string) => ({
  status: 401,
  body: {
    error: 'Unauthorized',
    ...(cause !== undefined && { details: [{ path: 'Authorization', message: cause }] }),
  },
  challenge: cause === undefined ? 'Bearer' : 'Bearer error="invalid_token"',
  isRefused: true,
});
const forbidden = (body: unknown) => ({ status: 403, body, isRefused: true });
const notFound = (error: string) => ({
  status: 404,
  body: expect.objectContaining({ error }) as unknown,
  isRefused: true,
});

/** Tokens that nobody may use, and why. */
let forged: readonly (readonly [token: string, cause: string])[];
/** A token from before its client was suspended. */
let suspended: string;
beforeAll(async () => {
  const malformed = ['unsigned', 'withoutSignature'];
  forged = Object.entries(await forgeries(await partner.token())).map(([kind, token]) => [
    token,
    malformed.includes(kind) ? 'the token is malformed' : 'the token is not valid',
  ]);
  suspended = await former.token();
  await runPartnerCommand('suspend', '--client-id', former.credentials.clientId);
});

describe.each(surfaces)('$name', (surface) => {
  test('answers 401 without a token', async () => {
    expectAnswer(await surface.ask(partner, undefined, 'none'), unauthorized());
  });

  test('answers 401 to an invalid token', async () => {
    expectAnswer(await surface.ask(partner, 'nonsense', 'none'), unauthorized('the token is malformed'));
  });

  test('answers 401 to a forged token', async () => {
    for (const [token, cause] of forged) expectAnswer(await surface.ask(partner, token, 'none'), unauthorized(cause));
  });

  test('answers 403 to a suspended client', async () => {
    const why = forbiddenAt('Authorization', 'the client is suspended or was removed');
    expectAnswer(await surface.ask(former, suspended, 'none'), forbidden(why));
  });

  test('answers only clients with a scope of it, and names it to others', async () => {
    const refusal = forbidden(forbiddenAt('Authorization', `needs scope ${scopeNames(surface.needs)}`));
    // What is there tells a refusal of a topic from one of its scope.
    const id = surface.grantsUnknown && surface.kind ? await resourceOf(surface.kind).given(partner) : 'none';
    const asked = oneScopeEach.map(async (client) => {
      const held = client.credentials.scopes;
      const answer = await surface.ask(client, await client.token(), id);
      if (!permits(surface.needs, held)) expectAnswer(answer, refusal);
      else if (surface.grantsUnknown) expect(answer).toEqual(served);
      else expect([401, 403]).not.toContain(answer.status);
    });
    await Promise.all(asked);
    expect(oneScopeEach.flatMap(({ credentials }) => credentials.scopes)).toEqual(scopes);
  });
});

const isAbout = (surface: Surface): surface is Surface & { readonly kind: ResourceKind } => surface.kind !== undefined;
// A command is found by its device, which comes first.
const identified = surfaces.filter(isAbout).filter(({ name }) => !name.includes('{commandId}'));

describe.each(identified)('$name', (surface) => {
  const { error, given, now, end, toOthers = notFound(error) } = resourceOf(surface.kind);
  const asPartner = async (id: string) => surface.ask(partner, await partner.token(), id);
  const asStranger = async (id: string) => surface.ask(stranger, await stranger.token(), id);
  const ofOthers = { ...toOthers, isRefused: true };

  if (!surface.grantsUnknown)
    test('answers 404 for what is not there, to any organisation', async () => {
      const id = await given(partner);
      const { deviceGroupId, deviceId } = fleetOf(partner);
      const another = surface.kind === 'group' ? deviceId : deviceGroupId;
      const others = [id.toUpperCase(), another, id.replace(/^[a-z]+/, 'stream'), `${id}x`];
      for (const unknown of ['none', nobodys(id), ...others]) expectAnswer(await asPartner(unknown), notFound(error));
      expectAnswer(await asStranger(nobodys(id)), ofOthers);
    });

  if (end && !surface.grantsUnknown)
    test('answers 404 for what has ended, to any organisation', async () => {
      const id = await given(partner);
      await end(partner, id);
      expectAnswer(await asPartner(id), notFound(error));
      expectAnswer(await asStranger(id), ofOthers);
    });

  test("answers 403 for another organisation's, which does not change", async () => {
    const id = await given(partner);
    const before = await now?.(partner, id);
    expect(before?.status ?? 200).toBe(200);
    expectAnswer(await asStranger(id), forbidden(foreignAt(surface.field ?? '')));
    expect((await now?.(partner, id))?.body).toEqual(before?.body);
  });
});

describe('GET /v3/devices/{deviceId}/commands/{commandId}', () => {
  const key = 'GET /v3/devices/{deviceId}/commands/{commandId}';

  test('answers 404 for a command that its device has not', async () => {
    const { deviceId, commandId } = await givenCommand(partner);
    const { deviceId: other } = await givenCommand(partner);
    const unknown = { status: 404, body: { error: 'Command not found' } };
    for (const id of ['none', 'head', nobodys(commandId), commandId.toUpperCase(), `${commandId}x`])
      expect(await partner.call(key, { path: { deviceId, commandId: id } })).toMatchObject(unknown);
    expect(await partner.call(key, { path: { deviceId: other, commandId } })).toMatchObject(unknown);
  });

  test("answers 404 for what is no device, and 403 for another organisation's", async () => {
    const { deviceId, commandId } = await givenCommand(partner);
    expect(await partner.call(key, { path: { deviceId: 'none', commandId } })).toMatchObject({
      status: 404,
      body: { error: 'Resource not found' },
    });
    expect(await stranger.call(key, { path: { deviceId, commandId } })).toMatchObject({
      status: 403,
      body: foreignAt('deviceId'),
    });
  });
});

describe.each(references)('$field in the body of $endpoint', ({ placed, field, kind }) => {
  const { error, given } = resourceOf(kind);

  test('answers 404 for what is not there', async () => {
    const [id, request] = [await given(colleague), await validRequest(placed, colleague)];
    const { deviceGroupId, deviceId } = fleetOf(colleague);
    const another = kind === 'group' ? deviceId : deviceGroupId;
    // A mission of another form only the operator knows, so it is not looked up.
    const odd = kind === 'mission' ? [] : ['none', another, `${id}x`, '../', 'é'.repeat(200)];
    for (const unknown of [nobodys(id), ...odd]) {
      const answer = await sendTo(placed, { ...request, body: { ...(request.body as object), [field]: unknown } });
      expect({ unknown, ...answer }).toMatchObject({ unknown, status: 404, body: { error } });
    }
  });

  test("answers 403 for another organisation's", async () => {
    const [id, request] = [await given(stranger), await validRequest(placed, colleague)];
    const answer = await sendTo(placed, { ...request, body: { ...(request.body as object), [field]: id } });
    expect(answer).toMatchObject({ status: 403, body: foreignAt(field) });
  });
});

interface Sender {
  readonly kind: 'viewer' | 'follower' | 'partner';
  readonly scopes: readonly string[];
}
const atAction = (message: string) => ({ code: 'forbidden', details: [{ path: 'action', message }] });
const onlyForViewers = 'is only for viewers of a share';
const notForViewers = 'is not for viewers of a share';

/** The refusal of an action to a sender, if it is refused. */
function refusalOf({ needs }: WebSocketAction, sender: Sender): object | undefined {
  if (needs === 'anyone') return undefined;
  if (sender.kind === 'viewer') return needs === 'viewer' ? undefined : atAction(notForViewers);
  if (needs === 'partner') return undefined;
  // A status channel has no session.
  if (sender.kind === 'follower') return { code: 'unknown_action' };
  if (needs === 'viewer') return atAction(onlyForViewers);
  return sender.scopes.includes(needs) ? undefined : atAction(`needs scope ${needs}`);
}

describe.each(Object.entries<WebSocketAction>(webSocketActions))('The action %s', (action, row) => {
  test('is accepted from those that it is for, tells others why not, and leaves all connected', async () => {
    const { shareCode } = await givenShare(colleague, { permissions: ['view', 'control'] });
    const { jobId } = await givenJob(colleague);
    const telemetry = oneScopeEach.filter(({ credentials }) => permits({ scope: telemetryScopes }, credentials.scopes));
    const senders: (readonly [Sender, Socket])[] = [
      [{ kind: 'viewer', scopes: [] }, await watch(shareCode)],
      [{ kind: 'follower', scopes }, await follow(colleague, { kind: 'job', id: jobId })],
      ...(await Promise.all(
        telemetry.map(
          async (client) =>
            [{ kind: 'partner', scopes: client.credentials.scopes }, await openTelemetry(client)] as const,
        ),
      )),
    ];
    for (const [sender, socket] of senders) {
      const answer = await ask(socket, { action });
      expect(await ask(socket, { action: 'ping' })).toMatchObject({ type: 'pong' });
      const refusal = refusalOf(row, sender);
      if (refusal) expect({ sender, ...answer }).toMatchObject({ sender, type: 'error', ...refusal });
      else {
        expect(answer['code']).not.toBe('unknown_action');
        expect(JSON.stringify(answer)).not.toMatch(new RegExp(`${onlyForViewers}|${notForViewers}|needs scope`));
      }
    }
  });
});
