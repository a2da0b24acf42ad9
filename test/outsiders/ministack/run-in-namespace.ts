/**
 * Runs inside the namespace: starts the emulator, deploys, onboards a partner, runs the smoke test, flies a job with
 * the sample adapter, destroys, and deploys again. Prints a line for each; the last line starts with ✗ and has, as
 * JSON, the finding, if any.
 */
import { writeFileSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join, basename } from 'node:path';
import { accountId, region } from 'cloud-assembly-runner/cloudformation/template';
import { skippedParts } from './emulator-differences';
import { administrator, certificateIn, startEmulator } from './emulator';
import { flyWithAdapter } from './fly-with-adapter';
import { Finding, step } from './step';

/** Private memory of all other processes of a program, in MB. Linux only. */
function memoryOfOthersMb(program: string): number {
  const own = String(process.pid);
  const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && name !== own);
  const kilobytes = processes.filter((id) => runs(id, program)).map(privateKilobytes);
  return Math.round(kilobytes.reduce((sum, one) => sum + one, 0) / 1024);
}

function runs(id: string, program: string): boolean {
  const [started = ''] = read(`/proc/${id}/cmdline`).split('\0');
  return basename(started) === basename(program) && link(`/proc/${id}/exe`) !== process.execPath;
}

const privateKilobytes = (id: string) =>
  Array.from(read(`/proc/${id}/smaps_rollup`).matchAll(/^Private_\w+:\s+(\d+) kB$/gm), ([, size]) =>
    Number(size),
  ).reduce((sum, one) => sum + one, 0);

/** Empty when the process has ended. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function link(file: string): string {
  try {
    return readlinkSync(file);
  } catch {
    return '';
  }
}

/** Exit code with a finding, for `lane.ts`. */
const FINDING_EXIT_CODE = 3;

/** The organisation of the smoke test: one client with all scopes, one with few. */
const onboarding = {
  organisations: [
    {
      name: 'Smoke test',
      deviceGroups: [{ name: 'North', devices: [{ name: 'North 1', stream: true }, { name: 'North 2' }] }],
      clients: [
        { name: 'all', scopes: ['all', 'command:control'] },
        { name: 'few', scopes: ['command:read'] },
      ],
    },
  ],
};

async function deployAndTest(work: string, python: string): Promise<void> {
  const env = administrator(work);
  const cdk = (title: string, ...words: string[]) =>
    step(title, ['node_modules/aws-cdk/bin/cdk', ...words, '--app', join(work, 'app')], env, /_FAILED|❌|Error:/);
  const deploy = ['deploy', '--require-approval', 'never', '--progress', 'events'];
  await cdk('cdk bootstrap', 'bootstrap', `aws://${accountId}/${region}`);
  await cdk('cdk deploy', ...deploy);
  const credentials = await runSmokeTest(work, env);
  await flyWithAdapter(work, python, env, credentials);
  const [emulator, functions] = [memoryOfOthersMb(python), memoryOfOthersMb('node')];
  console.log(`memory: ${emulator} MB for the emulator, ${functions} MB for functions`);
  await cdk('cdk destroy', 'destroy', '--force');
  // Retained resources must not block a new deployment.
  await cdk('cdk deploy, again', ...deploy);
}

/** @returns the file with the onboarded partner's credentials */
async function runSmokeTest(work: string, env: Readonly<Record<string, string>>): Promise<string> {
  const [wanted, onboarded] = [join(work, 'onboarding.json'), join(work, 'onboarded.json')];
  writeFileSync(wanted, JSON.stringify(onboarding));
  const partner = ['--import', 'tsx', 'bin/partner.ts', 'onboard', '--file', wanted, '--json'];
  writeFileSync(onboarded, await step('partner onboard', partner, env, /^partner:/), { mode: 0o600 });
  const options = ['--credentials', onboarded, '--ca-file', certificateIn(work)];
  const without = ['--without', Object.keys(skippedParts).join()];
  const smoke = ['--require', 'tsx/cjs', 'bin/smoke.ts', ...options, ...without];
  const story = await step('smoke', smoke, env, /^(FAIL|smoke:|\d+ ok)/);
  console.log(story.trimEnd().split('\n').at(-1) ?? '');
  return onboarded;
}

async function main(work: string, python: string, nodeFolder: string): Promise<void> {
  const emulator = await startEmulator(work, python, nodeFolder);
  try {
    await deployAndTest(work, python);
  } finally {
    await emulator.stop();
  }
}

const [work = '', python = '', nodeFolder = ''] = process.argv.slice(2);
main(work, python, nodeFolder).catch((error: unknown) => {
  const text = error instanceof Error ? error.message : String(error);
  if (error instanceof Finding) console.log(`✗ ${JSON.stringify(text)}`);
  else console.error(text);
  process.exitCode = error instanceof Finding ? FINDING_EXIT_CODE : 1;
});
