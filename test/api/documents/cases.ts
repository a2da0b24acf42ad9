import { randomUUID } from 'node:crypto';
import { formatCursor } from '../../../domain/events/cursor';
import type { PlacedOperation } from '../../contract/documents/openapi-file';
import { clients, type Client } from '../client';
import { fleetOf, givenJob, givenJobThatIs, givenMission, nobodys } from '../given';
import { givenFreeDevices } from '../../channels/flying-device';
import { expireAfter, lastCursor, organisationOfClient } from '../../channels/resume';
import { moveByReports } from '../../channels/reported-status';
import { until } from '../../channels/until';
import { runPartnerCommand } from '../stack/aws-access';
import { givenCalls } from '../stack/given-calls';
import type { Received } from './documented';
import { authorised, sendTo, validRequest, type Request } from './requests';

const [partner, jobReader = partner, shareReader = partner, eager = partner, sharer = partner, former = partner] =
  clients('documents');
const [stranger] = clients('stranger');

/** Shares are created by a client of their own, since few are allowed in a minute. */
const callerOf = ({ path }: PlacedOperation): Client => (path.includes('share') ? sharer : partner);

/** How an operation is made to answer with a documented example. */
type Case = (placed: PlacedOperation, request: Request) => Promise<Received>;

/** A case that changes the valid request. */
const changed =
  (change: Request): Case =>
  (placed, request) =>
    sendTo(placed, { ...request, ...change, headers: { ...request.headers, ...change.headers } });

/** A case that changes the body of the valid request. */
const withBody =
  (change: object): Case =>
  (placed, request) =>
    sendTo(placed, { ...request, body: { ...(request.body as object), ...change } });

const withUnknownId: Case = (placed, request) =>
  sendTo(placed, {
    ...request,
    path: Object.fromEntries(Object.entries(request.path ?? {}).map(([name, id]) => [name, nobodys(id)])),
  });

/** A caller whose scopes don't include the one of the operation. */
const lacksScope: Case = async (placed, request) => {
  const granted = Object.values(placed.operation.security[0] ?? {}).flat();
  const other = granted.includes('command:read') ? shareReader : jobReader;
  return sendTo(placed, { ...request, headers: await authorised(placed, other) });
};

/** A caller of another organisation than the job, the share, the group or the device. */
const otherOrganisation: Case = async (placed) => {
  // A new one, since other cases delete theirs.
  const request = await validRequest(placed, callerOf(placed));
  return sendTo(placed, { ...request, headers: { ...request.headers, ...(await authorised(placed, stranger)) } });
};

let suspended: Promise<Record<string, string>> | undefined;

/** A caller whose client was suspended after it got its token. */
const suspendedClient: Case = async (placed, request) => {
  suspended ??= authorised(placed, former).then(async (headers) => {
    await runPartnerCommand('suspend', '--client-id', former.credentials.clientId);
    return headers;
  });
  return sendTo(placed, { ...request, headers: await suspended });
};

/** A call of a client that has made all that the limit of the operation allows. */
const beyondLimit: Case = async (placed, request) => {
  const { clientId } = eager.credentials;
  const subject = `${clientId}#${placed.method} ${placed.path}`;
  // The second one is of what the first limit spares.
  for (const counted of [subject, `${subject}#spared`])
    await givenCalls(counted, placed.operation['x-rate-limit']?.calls ?? 0);
  return sendTo(placed, { ...request, headers: await authorised(placed, eager) });
};

const reusedKey: Case = async (placed, request) => {
  const headers = { ...request.headers, 'idempotency-key': randomUUID() };
  await sendTo(placed, { ...request, headers });
  // A command has no metadata.
  const other = placed.path.endsWith('/commands') ? { timeoutSeconds: 7 } : { metadata: { other: true } };
  return sendTo(placed, { ...request, headers, body: { ...(request.body as object), ...other } });
};

/** A mission in the path, or in a job. */
const missionNotFound: Case = async (placed, request) =>
  request.path?.['missionId'] === undefined
    ? withBody({ missionId: nobodys((await givenMission(partner)).missionId) })(placed, request)
    : withUnknownId(placed, request);

/** The device of a share, or the one in the path. */
const resourceNotFound: Case = (placed, request) =>
  request.path?.['deviceId'] === undefined
    ? withBody({ resourceId: 'device-nobodys' })(placed, request)
    : sendTo(placed, { ...request, path: { ...request.path, deviceId: 'device-nobodys' } });

/** A job in the path, or in a command. */
const jobNotFound: Case = async (placed, request) =>
  request.path?.['jobId'] === undefined
    ? withBody({ jobId: nobodys((await givenJob(partner)).jobId) })(placed, request)
    : withUnknownId(placed, request);

const commandNotFound: Case = (placed, request) =>
  sendTo(placed, { ...request, path: { ...request.path, commandId: nobodys(request.path?.['commandId'] ?? '') } });

/** A command to a device that stands. */
const onTheGround: Case = async (placed, request) => {
  const [deviceId = ''] = await givenFreeDevices(fleetOf(partner).deviceGroupId, 1);
  return sendTo(placed, { ...request, path: { deviceId } });
};

/** A device that another client of the organisation holds. */
const heldByAnother: Case = async (placed) => {
  // A new one, since others go on with theirs.
  const request = await validRequest(placed, callerOf(placed));
  const held = await eager.call('PUT /v3/devices/{deviceId}/control', {
    path: { deviceId: request.path?.['deviceId'] ?? '' },
  });
  expect(held.status).toBe(200);
  const body = request.body as { name?: string } | undefined;
  return sendTo(placed, { ...request, ...(body && { body: { name: 'TAKE_PHOTO' } }) });
};

const cancelledTwice: Case = async (placed, request) => {
  await sendTo(placed, request);
  return sendTo(placed, request);
};

/** A change from PENDING, whatever happened to the job of the valid request. */
const forbiddenMove: Case = async (placed, request) =>
  sendTo(placed, { ...request, path: { jobId: (await givenJob(partner)).jobId }, body: { status: 'COMPLETED' } });

/** A change of a job that the drone platform has queued. */
const platformsWord: Case = async (placed, request) => {
  const { jobId } = await givenJob(partner);
  await moveByReports(partner, jobId, 'QUEUED');
  return sendTo(placed, { ...request, path: { jobId }, body: { status: 'IN_PROGRESS' } });
};

const inFlight: Case = async (placed, request) =>
  sendTo(placed, { ...request, path: { jobId: await givenJobThatIs('IN_PROGRESS', partner) } });

/** A page after a cursor, of whose next event the log does not know any more. */
const cursorExpired: Case = async (placed, request) => {
  const cursor = await lastCursor(partner);
  await givenJob(partner);
  await until('the event', async () => ((await lastCursor(partner)) > cursor ? true : undefined));
  await expireAfter(partner, cursor);
  return sendTo(placed, { ...request, query: `?after=${cursor}` });
};

/** By the name of the example. */
const cases: Readonly<Record<string, Case>> = {
  success: changed({}),
  asJson: changed({ headers: { accept: 'application/json' } }),
  asKml: changed({ headers: { accept: 'application/vnd.google-earth.kml+xml' } }),
  asCsv: changed({ headers: { accept: 'text/csv' } }),
  notAcceptable: changed({ headers: { accept: 'text/html' } }),
  unknownParameter: changed({ query: '?page=2' }),
  invalidLimit: changed({ query: '?limit=0' }),
  foreignToken: changed({ query: '?nextToken=other' }),
  noCursor: changed({ query: '?after=other' }),
  foreignCursor: changed({ query: `?after=${formatCursor(organisationOfClient(stranger), 1)}` }),
  futureCursor: changed({ query: `?after=${formatCursor(organisationOfClient(partner), 36 ** 9)}` }),
  longWait: changed({ query: '?wait=21' }),
  cursorExpired,
  noBody: changed({ body: '' }),
  noFile: changed({ body: '' }),
  outOfRange: changed({
    body: {
      type: 'LineString',
      coordinates: [
        [8, 47],
        [8, 91],
      ],
    },
  }),
  otherMediaType: changed({ headers: { 'content-type': 'text/plain' } }),
  malformedBody: changed({ body: '{' }),
  repeatedMember: changed({ body: '{"name":"a","name":"b"}' }),
  unsupportedMediaType: changed({ headers: { 'content-type': 'application/json; charset=iso-8859-1' } }),
  pastTime: withBody({ scheduledAt: '1970-01-01T00:00:00Z' }),
  unknownField: withBody({ colour: 1 }),
  misspeltField: withBody({ prioritty: 1 }),
  invalidFields: withBody({ name: undefined, priority: 11, scheduledAt: 'tomorrow' }),
  noCredentials: changed({ body: { grant_type: 'client_credentials' } }),
  credentialsTwice: changed({ headers: { authorization: 'Basic YTpi' } }),
  unsupportedGrantType: withBody({ grant_type: 'password' }),
  invalidClient: withBody({ client_secret: 'wrong' }),
  foreignDevice: withBody({ deviceId: 'device-nobodys' }),
  invalidKey: changed({ headers: { 'idempotency-key': '1' } }),
  reusedKey,
  forbiddenMove,
  platformsWord,
  cannotCancel: cancelledTwice,
  inFlight,
  noDevice: withBody({ deviceGroupId: fleetOf(partner).otherGroupId }),
  staleVersion: changed({ headers: { 'if-match': '"99"' } }),
  deviceGroupNotFound: withBody({ deviceGroupId: 'group-nobodys' }),
  resourceNotFound,
  jobNotFound,
  commandNotFound,
  onTheGround,
  heldBy: heldByAnother,
  missionNotFound,
  shareNotFound: withUnknownId,
  unauthorized: changed({ headers: { authorization: '' } }),
  unknownApiKey: changed({ headers: { 'x-api-key': '' } }),
  otherApiKey: changed({ headers: { 'x-api-key': stranger.credentials.apiKey } }),
  lacksScope,
  otherOrganisation,
  suspendedClient,
  methodNotAllowed: (placed, request) =>
    sendTo(placed, { ...request, method: /\/missions|\/control$/.test(placed.path) ? 'PATCH' : 'PUT' }),
  tooManyRequests: beyondLimit,
};

/** Responses that need a stack with faults. */
export const needsFault = ({ operation }: PlacedOperation, status: number): boolean =>
  status === 500 || (status === 429 && !operation['x-rate-limit']);

const valid = new Map<string, Promise<Request>>();

/**
 * Makes an operation answer with the documented example of this name.
 * @throws Error when there is no case for it
 */
export async function provoke(placed: PlacedOperation, name: string): Promise<Received> {
  const { operationId } = placed.operation;
  const found = cases[name];
  if (!found) throw new Error(`add a case for «${name}» of ${operationId} to test/api/documents/cases.ts`);
  const request = valid.get(operationId) ?? validRequest(placed, callerOf(placed));
  valid.set(operationId, request);
  return found(placed, await request);
}
