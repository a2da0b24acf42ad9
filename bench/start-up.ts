import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { EndpointKey } from '../contract/endpoints';
import type { Measured, Measurement } from './figure';
import { startLocalStack, type LocalStack } from './local-stack';
import { connectPartner } from './partner-client';
import { requestsAbout } from './requests';
import { residentMegabytes } from './resident-memory';

const root = join(__dirname, '..');
const firstWithin = 15;
const laterWithin = 6;
const megabytes = 400;
const leftOut = ['node_modules', '.git', 'cdk.out', '.local', 'coverage'];

/**
 * `npm start` in a copy of the project that has never been started, and once more in the same: seconds until everything
 * answers, and the memory of npm and all below it. Each instance of a function takes 14 MB more, until it is idle for a
 * minute; there are at most 16.
 */
export const startUp: Measurement = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'start-up-'));
  const project = join(folder, 'project');
  await cp(root, project, { recursive: true, filter: (path) => !leftOut.includes(basename(path)) });
  await symlink(join(root, 'node_modules'), join(project, 'node_modules'));
  // Where compiled TypeScript is kept from one start to the next.
  const temporary = join(folder, 'temporary');
  await mkdir(temporary);
  const start = () => startLocalStack(project, undefined, [], { TMPDIR: temporary });
  try {
    const first = await start();
    const afterFirst = residentMegabytes(first.pid);
    await first.stop();
    const later = await start();
    try {
      const afterLater = residentMegabytes(later.pid);
      await callEach(later);
      const afterCalls = Math.round(residentMegabytes(later.pid));
      return [
        readyWithin('npm start to ready, first', first, firstWithin),
        readyWithin('npm start to ready, later', later, laterWithin),
        within('resident at ready, first', afterFirst),
        within('resident at ready, later', afterLater, `; ${afterCalls} MB after a call of each endpoint`),
      ];
    } finally {
      await later.stop();
    }
  } finally {
    await rm(folder, { recursive: true });
  }
};

async function callEach({ facts }: LocalStack): Promise<void> {
  const { subjects, call } = await connectPartner(facts);
  for (const [key, request] of Object.entries(requestsAbout(subjects))) await call(key as EndpointKey, request);
}

const readyWithin = (figure: string, { readyAfter }: LocalStack, seconds: number): Measured => ({
  figure,
  measured: `${(readyAfter / 1000).toFixed(1)} s`,
  mustBe: `at most ${seconds} s`,
  ok: readyAfter <= seconds * 1000,
});

const within = (figure: string, resident: number, more = ''): Measured => ({
  figure,
  measured: `${Math.round(resident)} MB${more}`,
  mustBe: `at most ${megabytes} MB`,
  ok: resident <= megabytes,
});
