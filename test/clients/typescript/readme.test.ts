import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readFacts } from '../../api/stack/facts';
import { clientsOf } from '../../api/stack/organisations';
import { until } from '../../channels/until';
import { givenClient } from './given-client';

const root = join(__dirname, '../../..');
const readme = readFileSync(join(root, 'clients/typescript/README.md'), 'utf8');
const [page = '', followed = ''] = [...readme.matchAll(/```ts\n(.*?)```/gs)].map(([, code]) => code);
const { client, deviceGroupId } = givenClient('typescript-readme');

/** Runs a program of the README as a partner would. @returns what it prints */
async function run(program: string): Promise<string> {
  const { baseUrl, wsUrl } = readFacts();
  const { clientId, clientSecret, apiKey } = clientsOf('typescript-readme')[0] ?? {};
  const variables = {
    BASE_URL: baseUrl,
    WS_URL: wsUrl,
    DEVICE_GROUP_ID: deviceGroupId,
    CLIENT_ID: clientId,
    CLIENT_SECRET: clientSecret,
    API_KEY: apiKey,
  };
  const flags = ['--conditions=drone-mission-source', '--import', 'tsx', '--input-type=module', '--eval', program];
  const { stdout } = await promisify(execFile)(process.execPath, flags, {
    cwd: root,
    env: { ...process.env, ...variables },
  });
  return stdout;
}

describe('the README of the TypeScript client', () => {
  test.each([
    ['a page of jobs', page],
    ['a job that is followed', followed],
  ])('shows %s in at most ten lines', (_, program) => {
    const lines = program.split('\n').filter((line) => line.trim() !== '');
    expect(lines.length).toBeGreaterThan(3);
    expect(lines.length).toBeLessThanOrEqual(10);
  });

  test('has a program that prints a page of jobs', async () => {
    const { jobId } = await client.jobs.create({ name: 'Survey', deviceGroupId, priority: 3 });
    await client.jobs.update(jobId, { status: 'QUEUED' });
    expect(await run(page)).toBe(`${jobId} Survey 3\n`);
  });

  test('has a program that follows a job until it has ended', async () => {
    const printed = run(followed);
    const { jobId } = await until('the job of the program', async () => {
      const { jobs } = await client.jobs.page({ status: 'PENDING', limit: 1 });
      return jobs.find(({ name }) => name === 'Rim inspection');
    });
    // The program has its snapshot once its socket is open, which only it knows: the last state is received in any case.
    for (const status of ['QUEUED', 'IN_PROGRESS', 'COMPLETED'] as const) await client.jobs.update(jobId, { status });
    expect((await printed).trim().split('\n').at(-1)).toMatch(/^COMPLETED/);
  });
});
