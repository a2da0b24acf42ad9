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
import { secretsIn } from '../../api/stack/running-stack';
import { startProxy, alterAnswer, alterBody, alterResource, type InjectedFault } from './proxy';
import { credentialsFile, smoke, stepsThat, type Outcome } from './smoke-run';

const project = join(__dirname, '../../..');
const all = clients('whole-story');
const [first, second = first, withoutControl = first, narrow = first] = all;
const names = steps.map(({ name }) => name);

/** Ids of all jobs, shares and missions of the organisation: what a run has not cleaned up. */
async function leftBehind(): Promise<string[]> {
  const { jobs } = (await first.call('GET /v3/jobs')).body;
  const { shares } = (await first.call('GET /v3/shares')).body;
  const { missions } = (await first.call('GET /v3/missions')).body;
  return [
    ...jobs.map(({ jobId }) => jobId),
    ...shares.map(({ shareCode }) => shareCode),
    ...missions.map(({ missionId }) => missionId),
  ];
}

/** Runs the command through a fault-injecting proxy, without the last step, which rate-limits the client. */
async function runWith(fault: InjectedFault, client: Client = second, interrupted?: AbortSignal): Promise<Outcome> {
  const { baseUrl, wsUrl, close } = await startProxy(fault);
  const addresses = ['--base-url', baseUrl, '--ws-url', wsUrl, '--without', 'limits'];
  try {
    return await smoke(['--credentials', credentialsFile(client, narrow), ...addresses], { interrupted });
  } finally {
    await close();
  }
}

/** A client's secrets as environment variables. */
const secretsOf = ({ credentials }: Client, prefix = '') => ({
  [`${prefix}CLIENT_SECRET`]: credentials.clientSecret,
  [`${prefix}API_KEY`]: credentials.apiKey,
});

describe('npm run smoke', () => {
  test('passes all steps, with addresses as options and secrets from the environment', async () => {
    const { baseUrl, wsUrl, mqttUrl, caFile } = readFacts();
    const authority = caFile === undefined ? '' : `--ca-file ${caFile}`;
    const addresses = `--base-url ${baseUrl} --ws-url ${wsUrl} --mqtt-url ${mqttUrl} ${authority}`;
    const who = `--client ${first.credentials.clientId} --narrow-client ${narrow.credentials.clientId}`;
    const child = spawn('sh', ['-c', `${scripts.smoke} ${addresses} ${who}`], {
      cwd: project,
      env: { ...process.env, LOCAL_DIR: 'nowhere', ...secretsOf(first), ...secretsOf(narrow, 'NARROW_') },
    });
    const [printed, errorOutput] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
    expect([errorOutput, child.exitCode]).toEqual(['', 0]);
    const printedLines = printed.split('\n');
    expect(printedLines.slice(2, -3).map((line) => line.replace(/ \d+ ms.*/, ''))).toEqual(
      [...names, 'clean-up'].map((name) => `ok    ${name}`),
    );
    expect(printedLines.at(-2)).toMatch(new RegExp(`^${names.length + 1} ok, 0 failed, 0 skipped in \\d+\\.\\d s$`));
    expect(secretsIn(printed)).toEqual([]);
    expect(await leftBehind()).toEqual([]);
  });

  test.each([
    ['a job', alterAnswer(/^POST \/v3\/jobs\/create/, () => ({ status: 502, body: {} }))],
    ['a mission', alterAnswer(/^POST \/v3\/missions/, () => ({ status: 502, body: {} }))],
    ['a share', alterAnswer(/^POST \/v3\/streams\/share/, () => ({ status: 502, body: {} }))],
  ])('deletes %s whose creation was answered with an error', async (_, fault) => {
    const outcome = await runWith(fault);
    expect(stepsThat('FAIL', outcome)).toHaveLength(1);
    expect(stepsThat('ok', outcome)).toContain('clean-up');
    expect(await leftBehind()).toEqual([]);
  });

  test('skips the steps that need the result of a failed one', async () => {
    const outcome = await runWith(alterBody(/^GET \/v3\/resources/, { resources: [], count: 0 }));
    expect(stepsThat('FAIL', outcome)).toEqual(['resources']);
    expect(outcome.lines).toContain('skip  create a job: needs the result of an earlier step: fleet');
    const missions = names.filter((name) => /^(create|read|list|replace|delete) .*missions?$/.test(name));
    const refusals = names.filter((name) =>
      /^(401|403 (without|outside)|404 for an unknown path|405|no socket)/.test(name),
    );
    expect(stepsThat('ok', outcome)).toEqual(['token', ...missions, ...refusals, 'clean-up']);
  });

  test('skips the commands of a client that lacks their scope, and names it', async () => {
    const outcome = await runWith({}, withoutControl);
    expect([outcome.exitCode, stepsThat('FAIL', outcome)]).toEqual([0, []]);
    expect(outcome.lines.filter((line) => line.includes('command:control'))).toEqual([
      'skip  400 for an unknown command: needs a client with command:control',
      'skip  400 for a parameter of another command: needs a client with command:control',
      'skip  404 for a command to an unknown device: needs a client with command:control',
    ]);
    expect(stepsThat('ok', outcome)).toContain('403 for a command without its scope');
  });

  test('redacts tokens and share codes in unexpected answers', async () => {
    const token = await runWith(alterBody(/^POST \/v3\/auth\/token/, { token_type: 'Basic' }));
    expect(token.lines.find((line) => line.startsWith('FAIL  token'))).toContain('"access_token":"…"');
    const share = await runWith(alterResource('share', /^POST \/v3\/streams\/share/, { maxViewers: 'ten' }));
    expect(share.lines.find((line) => line.startsWith('FAIL  create a share'))).toContain('"shareCode":"…"');
    expect(secretsIn([...token.lines, ...share.lines].join('\n'))).toEqual([]);
  });

  test('waits when an earlier run has used up the share creations of the minute', async () => {
    const limited = alterAnswer(/^POST \/v3\/streams\/share/, ({ headers }) => ({
      status: 429,
      headers: { ...headers, 'retry-after': '1' },
    }));
    // The service behind the proxy creates the share all the same, hence a client of another organisation. Its first is limited.
    const [, someone] = clients('sabotage');
    const outcome = await runWith(limited, someone);
    expect([outcome.exitCode, stepsThat('FAIL', outcome)]).toEqual([0, []]);
    const line = outcome.lines.find((printedLines) => printedLines.startsWith('ok    create a share'));
    expect(line).toMatch(/ms \(after 1 s for the rate limit after an earlier run\)$/);
  });

  test('accepts another 4xx for a refused handshake, and notes it', async () => {
    const outcome = await runWith({ handshake: () => 403 });
    expect([outcome.exitCode, stepsThat('FAIL', outcome)]).toEqual([0, []]);
    const printedLines = outcome.lines
      .filter((line) => /no (socket|viewer)/.test(line))
      .map((line) => line.slice(line.indexOf('(')));
    expect(printedLines).toEqual(['(refused with 403 instead of 404)', '(refused with 403 instead of 401)']);
  });

  test('cleans up when it is interrupted', async () => {
    const interruption = new AbortController();
    const interrupting: InjectedFault = {
      answer({ method }) {
        if (method === 'PATCH') interruption.abort('interrupted');
        return undefined;
      },
    };
    const outcome = await runWith(interrupting, second, interruption.signal);
    expect(outcome.exitCode).toBe(1);
    expect(outcome.lines).toContain('FAIL  patch the job: interrupted');
    expect(outcome.lines).toContain('skip  cancel the job: interrupted');
    expect(stepsThat('ok', outcome)).toEqual([...names.slice(0, names.indexOf('patch the job')), 'clean-up']);
    expect(await leftBehind()).toEqual([]);
  });

  test('cleans up after Ctrl-C, which npm repeats', async () => {
    const { baseUrl, wsUrl, close } = await startProxy({
      answer({ method }) {
        if (method === 'PATCH' || method === 'DELETE') child.kill('SIGINT');
        return undefined;
      },
    });
    const words = ['--credentials', credentialsFile(second, narrow), '--base-url', baseUrl, '--ws-url', wsUrl];
    const child = spawn(process.execPath, ['--require', 'tsx/cjs', 'bin/smoke.ts', ...words], {
      cwd: project,
      stdio: 'ignore',
    });
    expect(await once(child, 'exit')).toEqual([1, null]);
    await close();
    expect(await leftBehind()).toEqual([]);
  });

  test('fails at the first step when nothing answers, and skips the rest', async () => {
    const { baseUrl, close } = await startProxy({});
    await close();
    const parts = ['--without', 'mqtt,wss,scopes,limits'];
    const outcome = await smoke(['--credentials', credentialsFile(second), '--base-url', baseUrl, ...parts]);
    expect(outcome.exitCode).toBe(1);
    expect(outcome.lines).toContain('FAIL  token: expected an answer, got ECONNREFUSED');
    expect(stepsThat('ok', outcome)).toEqual(['clean-up']);
  });

  test('ends in time when the service never answers', async () => {
    const silent = createServer();
    await once(silent.listen(0, '127.0.0.1'), 'listening');
    const { port } = silent.address() as AddressInfo;
    const urls = ['--base-url', `http://127.0.0.1:${port}`, '--ws-url', `ws://127.0.0.1:${port}`];
    const timeouts = { answerMs: 300, runMs: 1000 };
    const outcome = await smoke(['--credentials', credentialsFile(second, narrow), ...urls], { timeouts });
    silent.closeAllConnections();
    silent.close();
    expect(outcome.lines).toContain('FAIL  token: expected an answer, got no answer in time');
    expect(outcome.lines).toContain('skip  405 with Allow: the run has timed out');
    expect(outcome.exitCode).toBe(1);
  });
});
