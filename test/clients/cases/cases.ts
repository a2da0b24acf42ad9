import type { Answer } from '../../../clients/typescript/test/fake-service';

/** What a program does, each in every language: `programs/`. */
export type Call =
  | 'get-job'
  | 'get-job-twice'
  | 'create-job'
  | 'update-job'
  | 'update-version-3'
  | 'cancel-job'
  | 'send-command'
  | 'follow-job'
  | 'follow-events';

/** What a connection of a channel brings before it is cut, unless it stays open. */
export type Connection =
  | { readonly refused: Exclude<Answer, string> }
  | {
      readonly messages: readonly object[];
      readonly stays?: true;
      /** The answer to a new token, and what is sent after it. */
      readonly renewal?: { readonly answer: object; readonly then: readonly object[] };
    };

/** What the service does in a case, what a program makes of it, and how that looks to the service. */
export interface ClientCase {
  readonly title: string;
  readonly call: Call;
  /** Variables of the program: AFTER, PAUSE_MS, PING_AFTER_MS. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Answers to requests for tokens, in turn; further ones are tokens of an hour. */
  readonly tokenAnswers?: readonly Answer[];
  /** Lifetimes of the first tokens in seconds. */
  readonly tokenLifetimesS?: readonly number[];
  /** Answers to requests in turn; the last one is repeated. */
  readonly answers?: readonly Answer[];
  readonly connections?: readonly Connection[];
  /**
   * What the program prints, a line each. Lines of callbacks are compared apart: their place among the messages is not
   * promised.
   */
  readonly told: readonly string[];
  readonly callbacks?: readonly string[];
  /** What the service is asked for: method, path, token, then `key A`, `key B` for idempotency keys, and If-Match. */
  readonly requests: readonly string[];
  /** How long the program waits at least between its first request and its last one. */
  readonly waitsMs?: number;
}

const job = { jobId: 'job-1', name: 'Survey', status: 'PENDING', priority: 5, createdAt: '2026-11-22T10:00:00.000Z' };
const command = {
  commandId: 'command-1',
  deviceId: 'device-1',
  name: 'PAUSE',
  status: 'REQUESTED',
  requestedAt: '2026-11-22T10:00:00.000Z',
  endBefore: '2026-11-22T10:00:30.000Z',
};
const ok: Answer = { status: 200, body: { success: true, job, command } };
const refusal = (status: number, error: string, retryAfter = '0') =>
  ({ status, headers: { 'retry-after': retryAfter }, body: { error } }) as const;
const tooMany = (retryAfter?: string) => refusal(429, 'Too many requests', retryAfter);
const unavailable = refusal(503, 'Service Unavailable');
const unauthorized = refusal(401, 'Unauthorized');
const notFound = refusal(404, 'Job not found');

const GET = 'GET /v3/jobs/job-1 token-1';
const CREATE = 'POST /v3/jobs/create token-1 key A';
const COMMAND = 'POST /v3/devices/device-1/commands token-1 key A';
const UPDATE = 'PATCH /v3/jobs/job-1 token-1';
const CANCEL = 'POST /v3/jobs/job-1/cancel token-1';

const tokens: ClientCase[] = [
  {
    title: 'A token is used for more than one request',
    call: 'get-job-twice',
    answers: [ok],
    told: ['job job-1', 'job job-1'],
    requests: [GET, GET],
  },
  {
    title: 'A token is renewed after nine tenths of a short life',
    call: 'get-job-twice',
    variables: { PAUSE_MS: '3700' },
    tokenLifetimesS: [4],
    answers: [ok],
    told: ['job job-1', 'job job-1'],
    requests: [GET, 'GET /v3/jobs/job-1 token-2'],
  },
  {
    title: 'A token that is refused is replaced once',
    call: 'cancel-job',
    answers: [unauthorized, ok],
    told: ['job job-1'],
    requests: [CANCEL, 'POST /v3/jobs/job-1/cancel token-2'],
  },
  {
    title: 'A second token that is refused is not replaced',
    call: 'get-job',
    answers: [unauthorized],
    told: ['refused 401'],
    requests: [GET, 'GET /v3/jobs/job-1 token-2'],
  },
  {
    title: 'A token is asked for again when the service fails for a moment',
    call: 'get-job',
    tokenAnswers: [unavailable, tooMany()],
    answers: [ok],
    told: ['job job-1'],
    requests: [GET],
  },
  {
    title: 'Wrong credentials are an error at once',
    call: 'get-job',
    tokenAnswers: [refusal(401, 'invalid_client'), ok],
    told: ['refused 401'],
    requests: [],
  },
];

const limits: ClientCase[] = [
  {
    title: 'After 429 a request waits for as long as Retry-After says',
    call: 'cancel-job',
    answers: [tooMany('1'), ok],
    told: ['job job-1'],
    requests: [CANCEL, CANCEL],
    waitsMs: 990,
  },
  {
    title: 'Retry-After longer than a minute and a half is an error at once',
    call: 'get-job',
    answers: [tooMany('3600')],
    told: ['refused 429, again after 3600 s'],
    requests: [GET],
  },
  {
    title: 'After five attempts the limit is an error',
    call: 'get-job',
    answers: [tooMany()],
    told: ['refused 429'],
    requests: [GET, GET, GET, GET, GET],
  },
  {
    title: 'A command is not sent later than ten seconds after its call',
    call: 'send-command',
    answers: [tooMany('11')],
    told: ['refused 429, again after 11 s'],
    requests: [COMMAND],
  },
];

const repeats: ClientCase[] = (
  [
    ['A read is repeated after 503', 'get-job', unavailable, [GET, GET]],
    ['A read is repeated after a broken connection', 'get-job', 'destroy', [GET, GET]],
    [
      'A create is repeated after 500 with the same key',
      'create-job',
      refusal(500, 'internal_error'),
      [CREATE, CREATE],
    ],
    ['A create is repeated after a broken connection with the same key', 'create-job', 'destroy', [CREATE, CREATE]],
    [
      'A command is repeated after 502 with the same key',
      'send-command',
      refusal(502, 'Bad Gateway'),
      [COMMAND, COMMAND],
    ],
    [
      'A change of one version is repeated after 500',
      'update-version-3',
      refusal(500, 'internal_error'),
      [`${UPDATE} version "3"`, `${UPDATE} version "3"`],
    ],
    ['A cancel is repeated after 429', 'cancel-job', tooMany(), [CANCEL, CANCEL]],
  ] as const
).map(([title, call, failure, requests]) => ({
  title,
  call,
  answers: [failure, ok],
  told: [call === 'send-command' ? 'command command-1' : 'job job-1'],
  requests,
}));

const noRepeats: ClientCase[] = (
  [
    ['A change of any version is not repeated after 503', 'update-job', unavailable, UPDATE, 'refused 503'],
    ['A cancel is not repeated after 503', 'cancel-job', unavailable, CANCEL, 'refused 503'],
    ['A cancel is not repeated after a broken connection', 'cancel-job', 'destroy', CANCEL, 'interrupted'],
    ['A conflict is an error at once', 'cancel-job', refusal(409, 'Job cannot be cancelled'), CANCEL, 'refused 409'],
  ] as const
).map(([title, call, failure, request, told]) => ({
  title,
  call,
  answers: [failure, ok],
  told: [told],
  requests: [request],
}));

const cursor = (number: number) => `event-7k2m9qx4-${String(number).padStart(10, '0')}`;
const state = (sequence: number, jobState: string, more: object = {}) => ({
  type: 'job.status',
  jobId: 'job-1',
  deviceGroupId: 'group-1',
  sequence,
  jobState,
  cursor: cursor(sequence),
  timestamp: '2026-11-22T10:00:00.000Z',
  ...more,
});
const pending = state(1, 'PENDING', { snapshot: true });
const queued = state(2, 'QUEUED', { previousState: 'PENDING' });
const cancelled = state(3, 'CANCELLED', { previousState: 'QUEUED' });
const replayed = (message: object) => ({ ...message, replayed: true });
const resumed = { type: 'resumed' };
const outcome = (sequence: number, status: string, number: number) => ({
  type: 'command.status',
  commandId: 'command-1',
  jobId: 'job-1',
  deviceId: 'device-1',
  sequence,
  status,
  cursor: cursor(number),
  timestamp: '2026-11-22T10:00:00.000Z',
});

const FOLLOW = 'GET /v3/jobs/job-1/status/ws';
/** A handshake after a change. */
const after = (number: number) => `${FOLLOW}?after=${cursor(number)}`;
const WHOLE = ['state PENDING 1', 'state QUEUED 2', 'state CANCELLED 3', 'ended'];

const channels: ClientCase[] = [
  {
    title: 'A channel brings the state, then each change, and ends with the last one',
    call: 'follow-job',
    connections: [{ messages: [pending, queued, { type: 'heartbeat' }, cancelled], stays: true }],
    told: WHOLE,
    requests: [`${FOLLOW} token-1`],
  },
  {
    title: 'A channel that is cut goes on after the last change',
    call: 'follow-job',
    connections: [{ messages: [pending, queued] }, { messages: [replayed(cancelled), resumed] }],
    told: ['state PENDING 1', 'state QUEUED 2', 'state CANCELLED 3 replayed', 'ended'],
    callbacks: ['lost'],
    requests: [`${FOLLOW} token-1`, `${after(2)} token-1`],
  },
  {
    title: 'A channel that is cut goes on when it was refused for a moment, too',
    call: 'follow-job',
    connections: [
      { messages: [pending] },
      { refused: tooMany() },
      { refused: unavailable },
      { messages: [replayed(queued), resumed, cancelled] },
    ],
    told: ['state PENDING 1', 'state QUEUED 2 replayed', 'state CANCELLED 3', 'ended'],
    callbacks: ['lost'],
    requests: [`${FOLLOW} token-1`, ...Array<string>(3).fill(`${after(1)} token-1`)],
  },
  {
    title: 'Repeats are told once, also after a cut',
    call: 'follow-job',
    connections: [
      { messages: [pending, pending, queued, pending] },
      { messages: [replayed(queued), resumed, queued, cancelled] },
    ],
    told: WHOLE,
    callbacks: ['lost'],
    requests: [`${FOLLOW} token-1`, `${after(2)} token-1`],
  },
  {
    title: 'A program that was started again goes on after its cursor',
    call: 'follow-job',
    variables: { AFTER: cursor(1) },
    connections: [{ messages: [replayed(queued), resumed, cancelled] }],
    told: ['state QUEUED 2 replayed', 'state CANCELLED 3', 'ended'],
    requests: [`${after(1)} token-1`],
  },
  {
    title: 'A log that no longer reaches back is a gap, and the state follows',
    call: 'follow-job',
    connections: [
      { messages: [pending] },
      { messages: [{ type: 'gap' }, { ...queued, snapshot: true }, { type: 'resumed' }, cancelled] },
    ],
    told: WHOLE,
    callbacks: ['lost', `gap ${cursor(1)}`],
    requests: [`${FOLLOW} token-1`, `${after(1)} token-1`],
  },
  {
    title: 'A cursor that the service no longer knows is a gap, and the state follows',
    call: 'follow-job',
    connections: [
      { messages: [pending] },
      { refused: refusal(400, 'invalid_request') },
      { messages: [{ ...queued, snapshot: true }, cancelled] },
    ],
    told: WHOLE,
    callbacks: ['lost', `gap ${cursor(1)}`],
    requests: [`${FOLLOW} token-1`, `${after(1)} token-1`, `${FOLLOW} token-1`],
  },
  {
    title: 'A change that is missing is a gap',
    call: 'follow-job',
    connections: [{ messages: [pending, cancelled] }],
    told: ['state PENDING 1', 'state CANCELLED 3', 'ended'],
    callbacks: ['gap job.status from 1 to 3'],
    requests: [`${FOLLOW} token-1`],
  },
  {
    title: 'What a later service sends is passed over',
    call: 'follow-job',
    connections: [
      {
        messages: [pending, { type: 'job.weather', jobId: 'job-1', sequence: 9, cursor: cursor(9) }, queued],
      },
      { messages: [resumed, cancelled] },
    ],
    told: WHOLE,
    callbacks: ['lost'],
    requests: [`${FOLLOW} token-1`, `${after(2)} token-1`],
  },
  {
    title: 'Commands are told beside the states, once',
    call: 'follow-job',
    connections: [
      { messages: [pending, outcome(1, 'REQUESTED', 11), outcome(1, 'REQUESTED', 11)] },
      { messages: [replayed(outcome(1, 'REQUESTED', 11)), resumed, outcome(2, 'DONE', 12), queued, cancelled] },
    ],
    told: WHOLE,
    callbacks: ['command command-1 REQUESTED', 'lost', 'command command-1 DONE'],
    requests: [`${FOLLOW} token-1`, `${after(1)} token-1`],
  },
  {
    title: 'A job that does not exist is an error',
    call: 'follow-job',
    connections: [{ refused: notFound }],
    told: ['refused 404'],
    requests: [`${FOLLOW} token-1`],
  },
  {
    title: 'A job that was deleted while the channel was cut ends it',
    call: 'follow-job',
    connections: [{ messages: [pending] }, { refused: notFound }],
    told: ['state PENDING 1', 'ended'],
    callbacks: ['lost'],
    requests: [`${FOLLOW} token-1`, `${after(1)} token-1`],
  },
  {
    title: 'A token that a channel refuses is replaced once',
    call: 'follow-job',
    connections: [{ refused: unauthorized }, { messages: [pending, queued, cancelled] }],
    told: WHOLE,
    requests: [`${FOLLOW} token-1`, `${FOLLOW} token-2`],
  },
  {
    title: 'An open channel goes on with a new token',
    call: 'follow-job',
    tokenLifetimesS: [4],
    connections: [
      {
        messages: [pending],
        stays: true,
        renewal: { answer: { type: 'authenticated' }, then: [queued, cancelled] },
      },
    ],
    told: WHOLE,
    requests: [`${FOLLOW} token-1`, 'authenticate token-2'],
  },
  {
    title: 'An open channel whose new token is not taken is replaced without a loss',
    call: 'follow-job',
    tokenLifetimesS: [4],
    connections: [
      {
        messages: [pending],
        stays: true,
        renewal: { answer: { type: 'error', code: 'unknown_action', error: 'unknown_action' }, then: [] },
      },
      { messages: [resumed, queued, cancelled], stays: true },
    ],
    told: WHOLE,
    requests: [`${FOLLOW} token-1`, 'authenticate token-2', `${after(1)} token-2`],
  },
  {
    title: 'A channel that is silent and answers no ping is replaced',
    call: 'follow-job',
    variables: { PING_AFTER_MS: '400' },
    connections: [
      { messages: [pending], stays: true },
      { messages: [resumed, queued, cancelled], stays: true },
    ],
    told: WHOLE,
    callbacks: ['lost'],
    requests: [`${FOLLOW} token-1`, 'ping', `${after(1)} token-1`],
  },
];

const page = (next: number, ...events: object[]): Answer => ({
  status: 200,
  body: { success: true, events, count: events.length, cursor: cursor(next) },
});
const weather = { type: 'job.weather', sequence: 1, cursor: cursor(2), timestamp: '2026-11-22T10:00:00.000Z' };
const READ = (number: number) => `GET /v3/events?after=${cursor(number)}&wait=20 token-1`;

/** The program leaves the log after a change to CANCELLED. */
const log: ClientCase[] = [
  {
    title: 'The log begins now and goes on after each page',
    call: 'follow-events',
    answers: [page(0), page(2, pending, queued), page(3, cancelled)],
    told: [`event job.status ${cursor(1)}`, `event job.status ${cursor(2)}`, `event job.status ${cursor(3)}`],
    requests: ['GET /v3/events token-1', READ(0), READ(2)],
  },
  {
    title: 'The log goes on after failures that pass',
    call: 'follow-events',
    variables: { AFTER: cursor(0) },
    answers: [page(1, pending), unavailable, 'destroy', tooMany(), page(3, cancelled)],
    told: [`event job.status ${cursor(1)}`, `event job.status ${cursor(3)}`],
    requests: [READ(0), READ(1), READ(1), READ(1), READ(1)],
  },
  {
    title: 'An event of a later service is told, and the log goes on after it',
    call: 'follow-events',
    variables: { AFTER: cursor(1) },
    answers: [page(2, weather), page(3, cancelled)],
    told: [`event job.weather ${cursor(2)}`, `event job.status ${cursor(3)}`],
    requests: [READ(1), READ(2)],
  },
  {
    title: 'A log that no longer reaches back is a gap, and goes on with the oldest event',
    call: 'follow-events',
    variables: { AFTER: cursor(1) },
    answers: [refusal(410, 'Cursor expired'), page(3, cancelled)],
    told: [`event job.status ${cursor(3)}`],
    callbacks: [`gap ${cursor(1)}`],
    requests: [READ(1), 'GET /v3/events?after=oldest&wait=20 token-1'],
  },
  {
    title: 'A cursor that the caller made up is an error',
    call: 'follow-events',
    variables: { AFTER: 'nonsense' },
    answers: [refusal(400, 'invalid_request')],
    told: ['refused 400'],
    requests: ['GET /v3/events?after=nonsense&wait=20 token-1'],
  },
];

/** What every client does alike. */
export const clientCases: readonly ClientCase[] = [...tokens, ...limits, ...repeats, ...noRepeats, ...channels, ...log];
