import { alterAnswer, alterBody, alterResource, alterMessages, withoutHeader, type InjectedFault } from './proxy';

const aJob = /\/v3\/jobs\/job-[^/]+$/;
const GET_JOB = new RegExp(`^GET ${aJob.source}`);
const GET_SHARE = /^GET \/v3\/shares\/share-[^/]+$/;
const GET_MISSION = /^GET \/v3\/missions\/mission-[^/]+$/;
const SEND_COMMAND = /^POST \/v3\/devices\/device-[^/]+000000\/commands$/;
const CREATE_SHARE = /^POST \/v3\/streams\/share/;
const TOKEN = /^POST \/v3\/auth\/token/;
const CHANNEL = /\/status\/ws/;
const TELEMETRY = /^\/telemetry$/;
const VIEWER = /^\/telemetry\?shareCode=/;

/** For each step a factory of a fault that makes it fail, called once per run, and the expected failure. */
export const injectedFaults: Readonly<Record<string, readonly [make: () => InjectedFault, complaint: RegExp]>> = {
  token: [() => alterBody(TOKEN, { expires_in: 60 }), /expected a token for 3600 s, got 60 s/],
  resources: [() => alterBody(/^GET \/v3\/resources/, { count: 7 }), /expected a count of 2, got 7/],
  'capabilities of a device': [
    () => alterBody(/^GET .*\/capabilities$/, { capabilities: { deviceId: 'device-none' } }),
    /expected those of device-\S+, got \{"deviceId":"device-none"\}/,
  ],
  'list commands of a device': [() => alterBody(/^GET .*\/commands$/, { count: 7 }), /expected a count of 0, got 7/],
  'who has the control of a device': [
    () => alterBody(/^GET .*\/control$/, { control: { deviceId: 'device-none' } }),
    /expected those of device-\S+, got \{"deviceId":"device-none"\}/,
  ],
  'create a mission': [
    () => alterResource('mission', /^POST \/v3\/missions$/, { waypointCount: 1 }),
    /expected version 1 with 2 waypoints, got .*"waypointCount":1/,
  ],
  'read the mission': [
    () => alterBody(GET_MISSION, { geometry: { type: 'LineString', coordinates: [] } }),
    /expected the mission as it was created/,
  ],
  'list missions': [() => alterBody(/^GET \/v3\/missions$/, { missions: [] }), /among the latest, got 0 others/],
  'check a flight of the mission': [
    () => alterBody(/^POST \/v3\/jobs\/check$/, { feasible: true }),
    /expected feasible without findings only, got true with NO_DEVICE, UNDECIDED/,
  ],
  'replace the mission': [() => alterResource('mission', /^PUT \/v3\/missions/, { version: 1 }), /version 2, got 1/],
  'delete the mission': [
    () => alterAnswer(GET_MISSION, () => ({ status: 200 }), { nth: 2 }),
    /404 \{"error":"Mission not found"\}, got 200/,
  ],
  'create a job': [() => alterResource('job', /^POST \/v3\/jobs\/create/, { status: 'QUEUED' }), /PENDING, got QUEUED/],
  'read the job': [() => alterResource('job', GET_JOB, { metadata: {} }), /expected the job as it was created/],
  'list jobs': [() => alterBody(/^GET \/v3\/jobs$/, { jobs: [] }), /among the latest, got 0 others/],
  'patch the job': [() => alterResource('job', /^PATCH/, { priority: 5 }), /expected priority 7, got 5/],
  'follow the job over MQTTS': [
    () => ({ mqtt: ['"jobState":"PENDING', '"jobState":"PENDXNG'] }),
    /the state of the job.*PENDXNG/,
  ],
  'follow the job over WSS': [
    () => alterMessages(CHANNEL, (real) => ({ ...real, ...(real['snapshot'] === true && { jobState: 'COMPLETED' }) })),
    /the state of the job.*COMPLETED/,
  ],
  'cancel the job': [
    () => alterResource('job', /^POST .*\/cancel$/, { status: 'CANCELED' }),
    /expected 200 as in the contract/,
  ],
  'its change over MQTTS': [() => ({ mqtt: ['CANCELLED', 'CANCXLLED'] }), /that the job is CANCELLED, got .* in time/],
  'its change over WSS': [
    () => alterMessages(CHANNEL, (real) => (real['jobState'] === 'CANCELLED' ? undefined : real)),
    /that the job is CANCELLED/,
  ],
  'delete the job': [() => alterBody(/^DELETE \/v3\/jobs/, { success: false }), /\(success: Invalid input/],
  'lifecycle of a job': [() => alterResource('job', /^PATCH/, { status: 'QUEUED' }, 3), /IN_PROGRESS, got 200 /],
  'subscribe to telemetry': [
    () => alterMessages(TELEMETRY, (real) => (real['type'] === 'subscribed' ? { ...real, type: 'error' } : real)),
    /expected subscribed, got \{"type":"error"/,
  ],
  'publish telemetry': [
    () => {
      let changed = false;
      return alterMessages(TELEMETRY, (real) => {
        if (changed || real['type'] !== 'published') return real;
        changed = true;
        return { ...real, accepted: 'all' };
      });
    },
    /expected published, got .*"accepted":"all"/,
  ],
  'receive telemetry': [
    () => alterMessages(TELEMETRY, (real) => (real['type'] === 'device.telemetry' ? undefined : real)),
    /expected a published sample, got .* in time/,
  ],
  'create a share': [() => alterResource('share', CREATE_SHARE, { maxViewers: 'ten' }), /\(share\.maxViewers: /],
  'read the share': [
    () => alterResource('share', GET_SHARE, { resourceId: 'device-none' }),
    /the share as it was created/,
  ],
  'list shares': [() => alterBody(/^GET \/v3\/shares$/, { shares: [] }), /among the latest, got 0 others/],
  'resources of the share': [
    () => alterBody(/^GET .*\/resources$/, { resources: [] }, 2),
    /the shared device, got \[\]/,
  ],
  'view the share': [
    () => alterMessages(VIEWER, (real) => ({ ...real, ...(real['snapshot'] === true && { shareState: 'EXPIRED' }) })),
    /expected the share, ACTIVE/,
  ],
  'telemetry reaches the viewer': [
    () => alterMessages(VIEWER, (real) => (real['type'] === 'device.telemetry' ? undefined : real)),
    /expected a published sample, got .* in time/,
  ],
  'revoke the share': [() => alterBody(/^DELETE \/v3\/shares/, { message: 7 }), /\(message: Invalid input/],
  'the viewer is notified and closed': [
    () => alterMessages(VIEWER, (real) => (real['shareState'] === 'REVOKED' ? undefined : real)),
    /that the share is REVOKED, got the end of the connection/,
  ],
  '404 for the revoked share': [
    () => alterAnswer(GET_SHARE, () => ({ status: 410 }), { nth: 2 }),
    /404 \{"error":"Share not found"\}, got 410/,
  ],
  'no viewer connects after that': [
    () => ({ handshake: (path, real) => (VIEWER.test(path) ? 503 : real) }),
    /refused with 404, got .* 503/,
  ],
  '401 for a wrong client secret': [
    () => alterAnswer(TOKEN, () => ({ status: 400 }), { nth: 2 }),
    /401 \{"error":"invalid_client"\}, got 400/,
  ],
  '403 without an API key': [
    () => alterAnswer(TOKEN, () => ({ status: 401 }), { when: (headers) => !headers['x-api-key'] }),
    /403 \{"error":"Forbidden"\}, got 401/,
  ],
  '401 without a token': [
    () =>
      alterAnswer(/^GET \/v3\/jobs$/, (real) => withoutHeader('www-authenticate', real), {
        when: ({ authorization }) => authorization === undefined,
      }),
    /expected WWW-Authenticate: Bearer, got null/,
  ],
  '401 for an invalid token': [
    () =>
      alterAnswer(/./, () => ({ status: 403 }), { when: ({ authorization = '' }) => authorization.endsWith('-token') }),
    /401 \{"error":"Unauthorized"\}, got 403/,
  ],
  'no socket without a token': [
    () => ({ handshake: (path, real) => (CHANNEL.test(path) ? 503 : real) }),
    /refused with 401, got .* 503/,
  ],
  '403 outside the scopes': [
    () => alterAnswer(/^GET \/v3\/devices\/none\/capabilities$/, () => ({ status: 200, body: {} })),
    /403 \{"error":"Forbidden"\}, got 200 \{\}/,
  ],
  '404 for an unknown job': [
    () => alterBody(/^GET .*000000$/, { error: 'Not found' }),
    /404 \{"error":"Job not found"\}, got 404 \{"error":"Not found"\}/,
  ],
  '404 for a dispatch of an unknown mission': [
    () => alterBody(/^POST \/v3\/jobs\/dispatch$/, { error: 'no_device' }),
    /404 \{"error":"Mission not found"\}, got 404 \{"error":"no_device"/,
  ],
  '404 for an unknown path': [
    () => alterAnswer(/nothing$/, () => ({ status: 403, body: { message: 'Missing Authentication Token' } })),
    /got 403 \{"message":"Missing Authentication Token"\}/,
  ],
  '405 with Allow': [
    () => alterAnswer(/^PUT \/v3\/jobs/, ({ headers }) => ({ headers: { ...headers, allow: 'GET, PATCH' } })),
    /expected Allow: DELETE, GET, PATCH, got Allow: GET, PATCH/,
  ],
  '400 for an unknown field': [
    () => alterBody(/^POST \/v3\/jobs\/create/, { details: undefined }, 3),
    /expected details that name sheduledAt/,
  ],
  '403 for a command without its scope': [
    () => alterAnswer(SEND_COMMAND, () => ({ status: 202 })),
    /403 \{"error":"Forbidden"\}, got 202/,
  ],
  '400 for an unknown command': [
    () => alterBody(SEND_COMMAND, { details: undefined }, 2),
    /expected details that name name/,
  ],
  '400 for a parameter of another command': [
    () => alterAnswer(SEND_COMMAND, () => ({ status: 202 }), { nth: 3 }),
    /400 \{"error":"invalid_request"\}, got 202/,
  ],
  '404 for a command to an unknown device': [
    () => alterAnswer(SEND_COMMAND, () => ({ status: 409 }), { nth: 4 }),
    /404 \{"error":"Resource not found"\}, got 409/,
  ],
  '429 beyond the limit': [
    () => ({
      answer: (_, real) => (real.status === 429 ? { ...real, ...withoutHeader('retry-after', real) } : undefined),
    }),
    /expected X-RateLimit-Limit: 30, .*NaN/,
  ],
  'clean-up': [
    () =>
      alterAnswer(/^DELETE \/v3\/jobs/, () => ({ status: 500, body: { error: 'Internal server error' } }), { nth: 2 }),
    /not deleted, delete manually: \/v3\/jobs\/job-\S+: 500/,
  ],
};
