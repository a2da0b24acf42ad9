import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = join(__dirname, '../../..');

/** Everything that the package needs at run time, from this repository's node_modules: the test needs no registry. */
const dependencies = ['openapi-fetch', 'openapi-typescript-helpers', 'ws'];

let folder: string;

/** Runs npm in the partner's folder. */
const npm = (...words: string[]) => run('npm', words, { cwd: folder });

jest.setTimeout(180_000);
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'drone-mission-client-'));
  const { stdout } = await npm('pack', join(root, 'clients/typescript'), '--json');
  const [packed] = JSON.parse(stdout.slice(stdout.indexOf('['))) as { filename: string; files: { path: string }[] }[];
  expect(packed?.files.map(({ path }) => path)).toEqual(
    expect.arrayContaining(['README.md', 'dist/index.js', 'dist/index.d.ts', 'dist/browser.js', 'package.json']),
  );
  expect(packed?.files.filter(({ path }) => /^(src|test)\//.test(path))).toEqual([]);
  const others = dependencies.map((name) => join(root, 'node_modules', name));
  await npm('pack', ...others, '--ignore-scripts', '--json');
  writeFileSync(join(folder, 'package.json'), '{"name":"partner","version":"1.0.0","type":"module"}');
  await run('sh', ['-c', 'npm install --offline --no-audit --no-fund ./*.tgz'], { cwd: folder });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a program of the partner. */
async function runProgram(text: string, ...flags: string[]) {
  writeFileSync(join(folder, 'program.mjs'), text);
  return run(process.execPath, [...flags, 'program.mjs'], { cwd: folder }).catch(
    (error: unknown) => error as { stdout: string; stderr: string },
  );
}

describe('the package, installed from its tarball into an empty folder', () => {
  test('is imported as an ES module', async () => {
    const { stdout } = await runProgram(`
      import { ApiError, DroneMissionClient, watchShare } from 'drone-mission-client';
      const client = new DroneMissionClient({ baseUrl: 'http://127.0.0.1:4', token: 'x', maxRetries: 0 });
      const error = await client.jobs.get('job-1').catch((error) => error);
      console.log(typeof ApiError, typeof watchShare, typeof client.jobs.follow, error.name);`);
    expect(stdout.trim()).toBe('function function function ConnectionError');
  });

  test('is imported for browsers without a module of Node.js', async () => {
    const { stdout } = await runProgram(
      `import * as client from 'drone-mission-client'; console.log(Object.keys(client).sort().join());`,
      '--conditions=browser',
    );
    expect(stdout.trim()).toBe('ApiError,ConnectionError,DroneMissionClient,DroneMissionError,ageOf,watchShare');
  });

  test('says in one line that Node.js is too old', async () => {
    const older = `data:text/javascript,Object.defineProperty(process.versions,'node',{value:'18.20.4'})`;
    const { stderr } = await runProgram(`import 'drone-mission-client';`, `--import=${older}`);
    expect(stderr).toContain(
      'Error: drone-mission-client needs Node.js 20.19 or later, and this is 18.20.4: install a newer one from https://nodejs.org.\n',
    );
  });

  test.each([
    ['nodenext', ['es2022', 'dom']],
    ['bundler', ['es2022', 'dom', 'dom.iterable']],
  ])('has types for a program that is compiled strictly, with module resolution %s', async (moduleResolution, lib) => {
    const module = moduleResolution === 'bundler' ? 'esnext' : moduleResolution;
    const options = { module, moduleResolution, lib, strict: true, noEmit: true, target: 'es2022', types: [] };
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: options, files: ['program.ts', 'page.ts', 'followed.ts'] }),
    );
    writeFileSync(
      join(folder, 'program.ts'),
      `import { ApiError, DroneMissionClient, type Job, type JobStatusMessage } from 'drone-mission-client';
      const client = new DroneMissionClient({ baseUrl: 'https://x', clientId: 'a', clientSecret: 'b', apiKey: 'c' });
      export async function program(job: Job): Promise<string | undefined> {
        const { jobId } = await client.jobs.create({ name: job.name, deviceGroupId: job.deviceGroupId });
        for await (const { status, priority } of client.jobs.list({ status: 'QUEUED' })) console.log(status, priority + 1);
        for await (const message of client.jobs.follow(jobId, { signal: AbortSignal.timeout(1000) })) {
          const told: JobStatusMessage = message;
          if (told.jobState === 'FAILED') return told.navigation?.position?.type;
          // @ts-expect-error There is no such state.
          if (told.jobState === 'FLOWN') return 'never';
        }
        // @ts-expect-error There is no such field.
        await client.jobs.create({ name: 'Survey', deviceGroupId: job.deviceGroupId, sheduledAt: 'now' });
        return client.jobs.get(jobId).then(() => undefined, (error: unknown) => error instanceof ApiError ? error.requestId : undefined);
      }`,
    );
    const readme = readFileSync(join(root, 'clients/typescript/README.md'), 'utf8');
    const [page = '', followed = ''] = [...readme.matchAll(/```ts\n(.*?)```/gs)].map(([, code]) => code);
    const environment = 'declare const process: { env: Record<string, string | undefined> };\n';
    writeFileSync(join(folder, 'page.ts'), environment + page);
    writeFileSync(join(folder, 'followed.ts'), environment + followed);
    const tsc = join(dirname(createRequire(__filename).resolve('typescript/package.json')), 'bin/tsc');
    const { stdout } = await run(process.execPath, [tsc, '-p', '.'], { cwd: folder }).catch(
      (error: unknown) => error as { stdout: string },
    );
    expect(stdout).toBe('');
  });
});
