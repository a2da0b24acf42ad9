import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { Scope } from '../../../contract/terms/scopes';
import { Refusal, refusalCodes } from '../../../domain/values/refusal';
import { refusals } from '../../../contract/refusals';
import { serve } from '../fixtures/serve';
import { acme, id, sampleJob, sampleShare } from '../../domain/fixtures/samples';
import { store, conditionFailed, transactionCancelled } from '../../data/fixtures/store';
import { call, requestId } from '../fixtures/api-gateway';
import { logLines, written } from '../fixtures/log';
import { handler as revokeShare } from '../../../lambdas/shares/revoke-share.lambda';
import { handler as listShareResources } from '../../../lambdas/shares/list-share-resources.lambda';
import { handler as createShare } from '../../../lambdas/shares/create-share.lambda';

const read: { scopes: Scope[] } = { scopes: ['command:read'] };
const reply = { success: true as const, job: sampleJob() };
const getJob = (run: () => Promise<typeof reply>) => serve('GET /v3/jobs/{jobId}', run);
const fine = getJob(() => Promise.resolve(reply));
const throwing = (error: unknown) => getJob(jest.fn<Promise<typeof reply>, []>().mockRejectedValue(error));
const internal = { error: 'Internal server error', requestId };

describe('A valid request', () => {
  test('gets its reply without fields that are not in the schema', async () => {
    const answer = await call(fine, read);
    expect(answer.status).toBe(200);
    const { updatedAt, ...promised } = reply.job;
    expect(updatedAt).toBeDefined();
    const { jobId } = promised;
    const links = { mqttTopic: `${jobId}/JOB/STATUS`, webSocketPath: `/v3/jobs/${jobId}/status/ws` };
    expect(answer.body).toEqual({ success: true, job: { ...promised, links } });
  });

  test('gets headers with its id and the version, and that forbid caching', async () => {
    const { headers } = await call(fine, read);
    expect(headers).toEqual({
      'Content-Type': 'application/json',
      'Cache-Control': 'no-store',
      'x-request-id': requestId,
      ETag: '"3"',
    });
  });

  test('reaches its handler with caller, path and time', async () => {
    const seen: unknown[] = [];
    const handler = serve('GET /v3/jobs/{jobId}', (request) => {
      seen.push(request);
      return Promise.resolve(reply);
    });
    const before = new Date().toISOString();
    await call(handler, { ...read, path: { jobId: id('job') } });
    expect(seen).toMatchObject([{ caller: { clientId: 'client1', organisation: acme }, path: { jobId: id('job') } }]);
    const [{ now }] = seen as [{ now: string }];
    expect([before, now, new Date().toISOString()].sort()[1]).toBe(now);
  });
});

describe('The scope check', () => {
  const run = jest.fn(() => Promise.resolve(reply));
  beforeEach(() => run.mockClear());

  test.each([
    ['lacks the scope', { scopes: ['command:update', 'share:read'] }, 403, 'Forbidden'],
    ['has no scope', { scopes: [] }, 403, 'Forbidden'],
    ['has no context', {}, 401, 'Unauthorized'],
    ['has no expiry', { ...read, tokenEnds: NaN }, 401, 'Unauthorized'],
  ] as const)('refuses a token that %s, before any other step', async (_, sent, status, error) => {
    const answer = await call(getJob(run), sent);
    expect(answer).toMatchObject({ status, body: { error }, headers: { 'x-request-id': requestId } });
    expect(run).not.toHaveBeenCalled();
    expect(store).not.toHaveReceivedAnyCommand();
  });

  test('refuses a token that expired while the policy was cached, and says so as the authorizer does', async () => {
    const answer = await call(getJob(run), { ...read, tokenEnds: Math.floor(Date.now() / 1000) });
    const details = [{ path: 'Authorization', message: 'the token has expired' }];
    expect(answer).toMatchObject({ status: 401, body: { error: 'Unauthorized', details } });
    expect(run).not.toHaveBeenCalled();
    expect(store).not.toHaveReceivedAnyCommand();
  });

  test('does not accept a scope that only begins like the right one', async () => {
    const handler = serve('POST /v3/jobs/{jobId}/cancel', () => Promise.reject(new Error('must not run')));
    expect(await call(handler, { scopes: ['command:updates' as Scope] })).toMatchObject({ status: 403 });
  });
});

describe('A handler', () => {
  test.each(refusalCodes)('that refuses with %s yields its status and text, and no error in the log', async (code) => {
    const { status, text } = refusals[code];
    const answer = await call(throwing(new Refusal(code)), read);
    expect(answer).toMatchObject({ status, body: { error: text } });
    expect(logLines()).toMatchObject([{ level: 'INFO', status }]);
  });

  test.each([
    ['an error', new Error('table jobs-7 is on fire')],
    ['text', 'table jobs-7 is on fire'],
    ['an object', { toString: (): string => 'table jobs-7 is on fire' }],
  ])(
    'that throws %s yields a 500 with a request id and no detail, and one log line with the error',
    async (_, thrown) => {
      const answer = await call(throwing(thrown), read);
      expect(answer).toMatchObject({ status: 500, headers: { 'x-request-id': requestId } });
      expect(answer.body).toEqual(internal);
      expect(logLines()).toMatchObject([
        { level: 'ERROR', status: 500, requestId, error: { message: 'table jobs-7 is on fire' } },
      ]);
    },
  );

  test('that throws synchronously yields a 500', async () => {
    const handler = getJob(() => {
      throw new Error('at once');
    });
    expect(await call(handler, read)).toMatchObject({ status: 500, body: internal });
  });

  test('that never settles yields a 500 before the timeout of Lambda', async () => {
    const answer = await call(
      getJob(() => new Promise(() => undefined)),
      read,
      150,
    );
    expect(answer).toMatchObject({ status: 500, body: internal });
    expect(logLines()).toMatchObject([{ error: { name: 'TimeoutError' } }]);
  });

  test('whose limit is never counted yields a 500 before the timeout of Lambda', async () => {
    store.onAnyCommand().callsFake(() => new Promise(() => undefined));
    const handler = serve('GET /v3/shares/{shareCode}/resources', () => Promise.reject(new Error('must not run')));
    expect(await call(handler, { scopes: ['share:read'] }, 150)).toMatchObject({ status: 500, body: internal });
    expect(logLines()).toMatchObject([{ error: { name: 'TimeoutError' } }]);
  });

  test.each([
    ['nothing', undefined],
    ['a job without its version', { success: true, job: { ...reply.job, version: undefined } }],
    ['success: false', { success: false, job: reply.job }],
  ])('that replies with %s yields a 500, with the schema error in the log', async (_, result) => {
    const answer = await call(
      getJob(() => Promise.resolve(result as typeof reply)),
      read,
    );
    expect(answer).toMatchObject({ status: 500, body: internal });
    expect(answer.headers).not.toHaveProperty('ETag');
    expect(logLines()).toMatchObject([{ level: 'ERROR', error: { name: '$ZodError' } }]);
  });

  test('that fails does not affect the next request', async () => {
    const handler = getJob(jest.fn(() => Promise.resolve(reply)).mockRejectedValueOnce(new Error('once')));
    expect((await call(handler, read)).status).toBe(500);
    expect((await call(handler, read)).status).toBe(200);
  });
});

describe('Log', () => {
  const secret = 'kx9mhush7q2v5w8y1z3a4b6c';
  const share = {
    ...sampleShare({ shareCode: id('share', acme, secret), expiresAt: '2999-01-01T00:00:00.000Z' }),
    organisation: acme,
  };
  const line = { message: 'request', requestId, clientId: 'client1', organisation: acme };

  const requests = {
    path: { shareCode: share.shareCode },
    headers: { Authorization: `Bearer ${secret}`, Cookie: secret, 'Idempotency-Key': secret },
    body: { resourceId: secret, shareType: secret, [secret]: secret, metadata: { note: secret } },
  };

  test('logs one line per request with endpoint, client and status', async () => {
    store.onAnyCommand().resolves({});
    await call(revokeShare, { scopes: ['share:manage'], path: { shareCode: share.shareCode } });
    expect(logLines()).toMatchObject([
      { ...line, level: 'INFO', endpoint: 'DELETE /v3/shares/{shareCode}', status: 200 },
    ]);
    expect(logLines()[0]?.['durationMs']).toEqual(expect.any(Number));
  });

  test('logs a request without a caller without a client id', async () => {
    await call(revokeShare, { path: { shareCode: share.shareCode } });
    expect(logLines()).toMatchObject([{ status: 401 }]);
    expect(logLines()[0]).not.toHaveProperty('clientId');
  });

  test.each([
    [
      'is refused for its input',
      createShare,
      400,
      () => store.on(UpdateCommand).resolves({ Attributes: { calls: 1 } }),
    ],
    [
      'is refused for its limit',
      createShare,
      429,
      () => store.on(UpdateCommand).resolves({ Attributes: { calls: 99 } }),
    ],
    ['finds its share', revokeShare, 200, () => store.onAnyCommand().resolves({})],
    ['finds no share', revokeShare, 404, () => store.onAnyCommand().rejects(conditionFailed())],
    [
      'fails at a condition that cannot fail',
      revokeShare,
      500,
      () => store.onAnyCommand().rejects(conditionFailed(share)),
    ],
    ['reads an invalid share', revokeShare, 500, () => store.onAnyCommand().rejects(conditionFailed({ note: secret }))],
    ['gets no count of its limit', listShareResources, 500, () => store.onAnyCommand().resolves({})],
  ] as const)('logs no secret, token or body when a request %s', async (_, handler, status, prepare) => {
    prepare();
    await call(handler, { scopes: ['share:read', 'share:manage', 'stream:share'], ...requests });
    expect(logLines()).toMatchObject([{ ...line, status }]);
    expect(written.join('')).not.toContain(secret);
  });

  test('logs no secret when a request is refused for its query', async () => {
    const query = { nextToken: [secret], [secret]: [secret] };
    await call(revokeShare, { scopes: ['share:manage'], ...requests, query });
    expect(logLines()).toMatchObject([{ ...line, status: 400 }]);
    expect(written.join('')).not.toContain(secret);
  });

  test.each([
    ['a failed condition', conditionFailed({ shareCode: secret })],
    ['a cancelled transaction', transactionCancelled(['ConditionalCheckFailed', { reply: secret }])],
    [
      'an error with further properties',
      Object.assign(new Error('lost'), { token: secret, response: { headers: { token: secret } } }),
    ],
  ])('logs neither items nor further properties of %s', async (_, error) => {
    await call(
      serve('GET /v3/resources', () => Promise.reject(error)),
      { scopes: ['resources:read'] },
    );
    expect(logLines()).toMatchObject([
      { error: { name: error.name, stack: expect.stringContaining(error.message) as string } },
    ]);
    expect(written.join('')).not.toContain(secret);
  });

  test('logs the cause of an error', async () => {
    const error = new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') });
    await call(
      serve('GET /v3/resources', () => Promise.reject(error)),
      { scopes: ['resources:read'] },
    );
    expect(logLines()).toMatchObject([{ error: { message: 'fetch failed', cause: 'connect ECONNREFUSED' } }]);
  });
});
