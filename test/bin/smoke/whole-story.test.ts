import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { steps } from '../../../bin/smoke/steps';
import { scripts } from '../../../package.json';
import { clients, type Client } from '../../api/client';
import { readFacts } from '../../api/stack/facts';
import { secretsIn } from '../../api/stack/logs';
import { startProxy } from './proxy';
import { answerTo, bodyOf, innerOf, type Sabotage } from './sabotage';
import { credentialsFile, smoke, stepsThat, type Outcome } from './smoke-run';

const all = clients('whole-story');
const [first, second = first, narrow = first] = all;
const names = steps.map(({ name }) => name);

/** What the organisation has: nothing but what a run has left. */
async function jobsAndShares(): Promise<string[]> {
  const { jobs } = (await first.call('GET /v3/jobs')).body;
  const { shares } = (await first.call('GET /v3/shares')).body;
  return [...jobs.map(({ jobId }) => jobId), ...shares.map(({ shareCode }) => shareCode)];
}

/** Runs the command through a proxy that changes what the service says; without the last step, which limits the client. */
async function tellWith(sabotage: Sabotage, client: Client = second, interrupted?: AbortSignal): Promise<Outcome> {
  const { baseUrl, wsUrl, close } = await startProxy(sabotage);
  const addresses = ['--base-url', baseUrl, '--ws-url', wsUrl, '--without', 'limits'];
  try {
    return await smoke(['--credentials', credentialsFile(client, narrow), ...addresses], { interrupted });
  } finally {
    await close();
  }
}

/** The secrets of a client, as environment variables. */
const secretsOf = ({ credentials }: Client, prefix = '') => ({
  [`${prefix}CLIENT_SECRET`]: credentials.clientSecret,
  [`${prefix}API_KEY`]: credentials.apiKey,
});

describe('npm run smoke', () => {
  test('tells the whole story, a line each, with addresses as options and secrets from the environment.', async () => {
    const { baseUrl, wsUrl, mqttUrl, caFile } = readFacts();
    const authority = caFile === undefined ? '' : `--ca-file ${caFile}`;
    const addresses = `--base-url ${baseUrl} --ws-url ${wsUrl} --mqtt-url ${mqttUrl} ${authority}`;
    const who = `--client ${first.credentials.clientId} --narrow-client ${narrow.credentials.clientId}`;
    const child = spawn('sh', ['-c', `${scripts.smoke} ${addresses} ${who}`], {
      cwd: join(__dirname, '../../..'),
      env: { ...process.env, LOCAL_DIR: 'nowhere', ...secretsOf(first), ...secretsOf(narrow, 'NARROW_') },
    });
    const [printed, complaint] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
    expect([complaint, child.exitCode]).toEqual(['', 0]);
    const told = printed.split('\n');
    expect(told.slice(2, -3).map((line) => line.replace(/ \d+ ms.*/, ''))).toEqual(
      [...names, 'clean-up'].map((name) => `ok    ${name}`),
    );
    expect(told.at(-2)).toMatch(new RegExp(`^${names.length + 1} ok, 0 failed, 0 skipped in \\d+\\.\\d s$`));
    expect(secretsIn(printed)).toEqual([]);
    expect(await jobsAndShares()).toEqual([]);
  });

  test.each([
    ['a job', answerTo(/^POST \/v3\/jobs\/create/, () => ({ status: 502, body: {} }))],
    ['a share', answerTo(/^POST \/v3\/streams\/share/, () => ({ status: 502, body: {} }))],
  ])('deletes %s that was created although the answer does not say so.', async (_, sabotage) => {
    const outcome = await tellWith(sabotage);
    expect(stepsThat('FAIL', outcome)).toHaveLength(1);
    expect(stepsThat('ok', outcome)).toContain('clean-up');
    expect(await jobsAndShares()).toEqual([]);
  });

  test('says which steps it could not try, since an earlier one failed.', async () => {
    const outcome = await tellWith(bodyOf(/^GET \/v3\/resources/, { resources: [], count: 0 }));
    expect(stepsThat('FAIL', outcome)).toEqual(['resources']);
    expect(outcome.lines).toContain('skip  create a job: needs what an earlier step did not give: fleet');
    const refusals = names.filter((name) => /^(401|403|404 for an unknown path|405|no socket)/.test(name));
    expect(stepsThat('ok', outcome)).toEqual(['token', ...refusals, 'clean-up']);
  });

  test('prints no token and no share code, whatever comes.', async () => {
    const token = await tellWith(bodyOf(/^POST \/v3\/auth\/token/, { token_type: 'Basic' }));
    expect(token.lines.find((line) => line.startsWith('FAIL  token'))).toContain('"access_token":"…"');
    const share = await tellWith(innerOf('share', /^POST \/v3\/streams\/share/, { maxViewers: 'ten' }));
    expect(share.lines.find((line) => line.startsWith('FAIL  create a share'))).toContain('"shareCode":"…"');
    expect(secretsIn([...token.lines, ...share.lines].join('\n'))).toEqual([]);
  });

  test('waits when the run before has used up the share creations of the minute.', async () => {
    const limited = answerTo(/^POST \/v3\/streams\/share/, ({ headers }) => ({
      status: 429,
      headers: { ...headers, 'retry-after': '1' },
    }));
    // The proxy's service has created the share all the same: another organisation has it. Its first client is limited.
    const [, someone] = clients('sabotage');
    const outcome = await tellWith(limited, someone);
    expect([outcome.exitCode, stepsThat('FAIL', outcome)]).toEqual([0, []]);
    const line = outcome.lines.find((told) => told.startsWith('ok    create a share'));
    expect(line).toMatch(/ms \(after 1 s for the limit of the run before\)$/);
  });

  test('lets a handshake be refused with another 4xx than the promised one, and names it.', async () => {
    const outcome = await tellWith({ handshake: () => 403 });
    expect([outcome.exitCode, stepsThat('FAIL', outcome)]).toEqual([0, []]);
    const told = outcome.lines
      .filter((line) => /no (socket|viewer)/.test(line))
      .map((line) => line.slice(line.indexOf('(')));
    expect(told).toEqual(['(refused with 403 in place of 404)', '(refused with 403 in place of 401)']);
  });

  test('deletes what it has made when it is interrupted.', async () => {
    const interruption = new AbortController();
    const interrupting: Sabotage = {
      answer({ method }) {
        if (method === 'PATCH') interruption.abort('interrupted');
        return undefined;
      },
    };
    const outcome = await tellWith(interrupting, second, interruption.signal);
    expect(outcome.exitCode).toBe(1);
    expect(outcome.lines).toContain('FAIL  patch the job: interrupted');
    expect(outcome.lines).toContain('skip  cancel the job: interrupted');
    expect(stepsThat('ok', outcome)).toEqual([
      'token',
      'resources',
      'create a job',
      'read the job',
      'list jobs',
      'clean-up',
    ]);
    expect(await jobsAndShares()).toEqual([]);
  });

  test('fails at the first step when nothing answers, and tries nothing that needs it.', async () => {
    const { baseUrl, close } = await startProxy({});
    await close();
    const parts = ['--without', 'mqtt,wss,scopes,limits'];
    const outcome = await smoke(['--credentials', credentialsFile(second), '--base-url', baseUrl, ...parts]);
    expect(outcome.exitCode).toBe(1);
    expect(outcome.lines).toContain('FAIL  token: expected an answer, came ECONNREFUSED');
    expect(stepsThat('ok', outcome)).toEqual(['clean-up']);
  });

  test('is over in time when the service takes calls and never answers.', async () => {
    const silent = createServer();
    await once(silent.listen(0, '127.0.0.1'), 'listening');
    const { port } = silent.address() as AddressInfo;
    const urls = ['--base-url', `http://127.0.0.1:${port}`, '--ws-url', `ws://127.0.0.1:${port}`];
    const waits = { answerMs: 300, storyMs: 1000 };
    const began = Date.now();
    const outcome = await smoke(['--credentials', credentialsFile(second, narrow), ...urls], { waits });
    silent.closeAllConnections();
    silent.close();
    expect(Date.now() - began).toBeLessThan(5000);
    expect(outcome.lines).toContain('FAIL  token: expected an answer, came no answer in time');
    expect(outcome.lines).toContain('skip  405 with Allow: the time for the story is over');
    expect(outcome.exitCode).toBe(1);
  });
});
