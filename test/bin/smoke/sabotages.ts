import { answerTo, bodyOf, innerOf, messagesOf, without, type Sabotage } from './sabotage';

const aJob = /\/v3\/jobs\/job-[^/]+$/;
const GET_JOB = new RegExp(`^GET ${aJob.source}`);
const GET_SHARE = /^GET \/v3\/shares\/share-[^/]+$/;
const CREATE_SHARE = /^POST \/v3\/streams\/share/;
const TOKEN = /^POST \/v3\/auth\/token/;
const CHANNEL = /\/status\/ws/;
const TELEMETRY = /^\/telemetry$/;
const VIEWER = /^\/telemetry\?shareCode=/;

/** Of each step, what makes it fail, anew for each run; and what it complains of. */
export const sabotages: Readonly<Record<string, readonly [make: () => Sabotage, complaint: RegExp]>> = {
  token: [() => bodyOf(TOKEN, { expires_in: 60 }), /expected a token for 3600 s, came 60 s/],
  resources: [() => bodyOf(/^GET \/v3\/resources/, { count: 7 }), /expected a count of 2, came 7/],
  'create a job': [() => innerOf('job', /^POST \/v3\/jobs\/create/, { status: 'QUEUED' }), /PENDING, came QUEUED/],
  'read the job': [() => innerOf('job', GET_JOB, { metadata: {} }), /expected the job as it was created/],
  'list jobs': [() => bodyOf(/^GET \/v3\/jobs$/, { jobs: [] }), /among the latest, came 0 others/],
  'patch the job': [() => innerOf('job', /^PATCH/, { priority: 5 }), /expected priority 7, came 5/],
  'follow the job over MQTTS': [
    () => ({ mqtt: ['"jobState":"PENDING', '"jobState":"PENDXNG'] }),
    /the state of the job.*PENDXNG/,
  ],
  'follow the job over WSS': [
    () => messagesOf(CHANNEL, (real) => ({ ...real, ...(real['snapshot'] === true && { jobState: 'COMPLETED' }) })),
    /the state of the job.*COMPLETED/,
  ],
  'cancel the job': [() => innerOf('job', /^POST .*\/cancel$/, { status: 'CANCELED' }), /expected 200 as the contract/],
  'its change over MQTTS': [() => ({ mqtt: ['CANCELLED', 'CANCXLLED'] }), /that the job is CANCELLED, came .* in time/],
  'its change over WSS': [
    () => messagesOf(CHANNEL, (real) => (real['jobState'] === 'CANCELLED' ? undefined : real)),
    /that the job is CANCELLED/,
  ],
  'delete the job': [() => bodyOf(/^DELETE \/v3\/jobs/, { success: false }), /\(success: Invalid input/],
  'lifecycle of a job': [() => innerOf('job', /^PATCH/, { status: 'QUEUED' }, 3), /IN_PROGRESS, came 200 /],
  'subscribe to telemetry': [
    () => messagesOf(TELEMETRY, (real) => (real['type'] === 'subscribed' ? { ...real, type: 'error' } : real)),
    /expected subscribed, came \{"type":"error"/,
  ],
  'publish telemetry': [
    () => {
      let changed = false;
      return messagesOf(TELEMETRY, (real) => {
        if (changed || real['type'] !== 'published') return real;
        changed = true;
        return { ...real, accepted: 'all' };
      });
    },
    /expected published, came .*"accepted":"all"/,
  ],
  'receive telemetry': [
    () => messagesOf(TELEMETRY, (real) => (real['type'] === 'device.telemetry' ? undefined : real)),
    /expected the sample of .*, came .* in time/,
  ],
  'create a share': [() => innerOf('share', CREATE_SHARE, { maxViewers: 'ten' }), /\(share\.maxViewers: /],
  'read the share': [() => innerOf('share', GET_SHARE, { resourceId: 'device-none' }), /the share as it was created/],
  'list shares': [() => bodyOf(/^GET \/v3\/shares$/, { shares: [] }), /among the latest, came 0 others/],
  'resources of the share': [() => bodyOf(/^GET .*\/resources$/, { resources: [] }, 2), /the shared device, came \[\]/],
  'view the share': [
    () => messagesOf(VIEWER, (real) => ({ ...real, ...(real['snapshot'] === true && { shareState: 'EXPIRED' }) })),
    /expected the share, ACTIVE/,
  ],
  'telemetry reaches the viewer': [
    () => messagesOf(VIEWER, (real) => (real['type'] === 'device.telemetry' ? undefined : real)),
    /expected a published sample, came .* in time/,
  ],
  'revoke the share': [() => bodyOf(/^DELETE \/v3\/shares/, { message: 7 }), /\(message: Invalid input/],
  'the viewer is told and closed': [
    () => messagesOf(VIEWER, (real) => (real['shareState'] === 'REVOKED' ? undefined : real)),
    /that the share is REVOKED, came the end of the connection/,
  ],
  '404 for the revoked share': [
    () => answerTo(GET_SHARE, () => ({ status: 410 }), { nth: 2 }),
    /404 \{"error":"Share not found"\}, came 410/,
  ],
  'no viewer gets in after that': [
    () => ({ handshake: (path, real) => (VIEWER.test(path) ? 503 : real) }),
    /refused with 404, came .* 503/,
  ],
  '401 for a wrong client secret': [
    () => answerTo(TOKEN, () => ({ status: 400 }), { nth: 2 }),
    /401 \{"error":"invalid_client"\}, came 400/,
  ],
  '403 without an API key': [
    () => answerTo(TOKEN, () => ({ status: 401 }), { when: (headers) => !headers['x-api-key'] }),
    /403 \{"error":"Forbidden"\}, came 401/,
  ],
  '401 without a token': [
    () =>
      answerTo(/^GET \/v3\/jobs$/, (real) => without('www-authenticate', real), {
        when: ({ authorization }) => authorization === undefined,
      }),
    /expected WWW-Authenticate: Bearer, came null/,
  ],
  '401 for a token that is none': [
    () =>
      answerTo(/./, () => ({ status: 403 }), { when: ({ authorization = '' }) => authorization.endsWith('-token') }),
    /401 \{"error":"Unauthorized"\}, came 403/,
  ],
  'no socket without a token': [
    () => ({ handshake: (path, real) => (CHANNEL.test(path) ? 503 : real) }),
    /refused with 401, came .* 503/,
  ],
  '403 outside the scopes': [
    () => answerTo(/^GET \/v3\/streams\/share$/, () => ({ status: 200, body: {} })),
    /403 \{"error":"Forbidden"\}, came 200 \{\}/,
  ],
  '404 for an unknown job': [
    () => bodyOf(/^GET .*000000$/, { error: 'Not found' }),
    /404 \{"error":"Job not found"\}, came 404 \{"error":"Not found"\}/,
  ],
  '404 for an unknown path': [
    () => answerTo(/nothing$/, () => ({ status: 403, body: { message: 'Missing Authentication Token' } })),
    /came 403 \{"message":"Missing Authentication Token"\}/,
  ],
  '405 with Allow': [
    () => answerTo(/^PUT/, ({ headers }) => ({ headers: { ...headers, allow: 'GET, PATCH' } })),
    /expected Allow: DELETE, GET, PATCH, came Allow: GET, PATCH/,
  ],
  '400 for an unknown field': [
    () => bodyOf(/^POST \/v3\/jobs\/create/, { details: undefined }, 3),
    /expected details that name sheduledAt/,
  ],
  '429 beyond the limit': [
    () => ({ answer: (_, real) => (real.status === 429 ? { ...real, ...without('retry-after', real) } : undefined) }),
    /expected X-RateLimit-Limit: 30, .*NaN/,
  ],
  'clean-up': [
    () => answerTo(/^DELETE \/v3\/jobs/, () => ({ status: 500, body: { error: 'Internal server error' } }), { nth: 2 }),
    /left behind, delete by hand: \/v3\/jobs\/job-\S+: 500/,
  ],
};
