import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { runCommand } from '../../outsiders/processes';
import { expectFiles, expectJobs, filesOfTarball, root, version, type Trial } from './trial';

const client = join(root, 'clients/typescript');
/** Everything that the package needs at run time, from this repository's node_modules: the trial needs no registry. */
const dependencies = ['openapi-fetch', 'openapi-typescript-helpers', 'ws'].map((name) =>
  join(root, 'node_modules', name),
);
const tsc = join(dirname(createRequire(__filename).resolve('typescript/package.json')), 'bin/tsc');

const LIST_JOBS = `import { DroneMissionClient } from 'drone-mission-client';

const { BASE_URL: baseUrl, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret, API_KEY: apiKey } = process.env;
const client = new DroneMissionClient({ baseUrl, clientId, clientSecret, apiKey });
for await (const { jobId, name } of client.jobs.list()) console.log(jobId, name);
`;

/** Faults that the types have to find, and none elsewhere. */
const TYPED = `import { ApiError, DroneMissionClient, type Job, type JobStatusMessage } from 'drone-mission-client';
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
}
`;

/** Packs the tarball, installs it, compiles programs against its types and runs them. @throws Error that says what is wrong */
export async function tryNpmPackage(trial: Trial): Promise<void> {
  const { folder, out } = trial;
  await runCommand('npm', ['pack', client, '--pack-destination', out]);
  const name = `drone-mission-client-${version}.tgz`;
  assert.deepEqual(readdirSync(out), [name]);
  const tarball = join(out, name);
  const expected = /^(LICENSE|README\.md|package\.json|dist\/[\w/-]+\.(js|d\.ts))$/;
  const required = ['LICENSE', 'README.md', 'dist/index.js', 'dist/index.d.ts', 'dist/browser.js', 'dist/browser.d.ts'];
  expectFiles(name, await filesOfTarball(tarball), expected, required);
  await install(folder, tarball);

  await compile(folder, 'nodenext', ['es2022', 'dom']);
  await compile(folder, 'bundler', ['es2022', 'dom', 'dom.iterable']);
  await expectJobs(process.execPath, ['program.js'], trial);
  await expectBrowserExports(folder);
  await expectNewerNode(folder);
}

/** Makes the partner's project, with the client and what it needs. */
async function install(folder: string, tarball: string): Promise<void> {
  const npm = (...words: string[]) => runCommand('npm', words, { cwd: folder });
  await npm('pack', ...dependencies, '--ignore-scripts');
  const needed = readdirSync(folder).map((file) => join(folder, file));
  writeFileSync(join(folder, 'package.json'), '{"name":"partner","version":"1.0.0","type":"module"}');
  await npm('install', '--offline', '--no-audit', '--no-fund', tarball, ...needed);
  const { version: installed } = z
    .object({ version: z.string() })
    .parse(JSON.parse(readFileSync(join(folder, 'node_modules/drone-mission-client/package.json'), 'utf8')));
  assert.equal(installed, version);
}

/** Compiles the partner's programs strictly, and those of the README. */
async function compile(folder: string, moduleResolution: string, lib: readonly string[]): Promise<void> {
  const module = moduleResolution === 'bundler' ? 'esnext' : moduleResolution;
  const compilerOptions = { module, moduleResolution, lib, strict: true, target: 'es2022', types: [] };
  const readme = readFileSync(join(client, 'README.md'), 'utf8');
  const [page = '', followed = ''] = [...readme.matchAll(/```ts\n(.*?)```/gs)].map(([, code]) => code);
  const environment = 'declare const process: { env: Record<string, string | undefined> };\n';
  const programs = {
    'program.ts': environment + LIST_JOBS,
    'typed.ts': TYPED,
    'page.ts': environment + page,
    'followed.ts': environment + followed,
  };
  for (const [file, text] of Object.entries(programs)) writeFileSync(join(folder, file), text);
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: Object.keys(programs) }));
  await runCommand(process.execPath, [tsc, '-p', '.'], { cwd: folder });
}

/** A bundler for browsers finds their build, which exports less. */
async function expectBrowserExports(folder: string): Promise<void> {
  const text = `import * as client from 'drone-mission-client'; console.log(Object.keys(client).sort().join());`;
  writeFileSync(join(folder, 'browser.js'), text);
  const { stdout } = await runCommand(process.execPath, ['--conditions=browser', 'browser.js'], { cwd: folder });
  assert.equal(stdout, 'ApiError,ConnectionError,DroneMissionClient,DroneMissionError,ageOf,watchShare\n');
}

/** In a Node.js that is too old, the import says so in one line. */
async function expectNewerNode(folder: string): Promise<void> {
  const older = `data:text/javascript,Object.defineProperty(process.versions,'node',{value:'18.20.4'})`;
  const { stderr } = await runCommand(process.execPath, [`--import=${older}`, 'program.js'], {
    cwd: folder,
    exitCodes: [1],
  });
  const expected =
    'Error: drone-mission-client needs Node.js 20.19 or later, and this is 18.20.4: install a newer one from https://nodejs.org.\n';
  assert.ok(stderr.includes(expected), stderr);
}
