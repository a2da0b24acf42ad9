import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { EndpointKey } from '../../contract/endpoints';
import type { Measured, Measurement } from './support/figure';
import { startLocalStack, type LocalStack } from './support/local-stack';
import { connectPartner } from './support/partner-client';
import { requestsAbout } from './support/requests';
import { residentMegabytes } from './support/process-usage';

const root = join(__dirname, '../..');
const FIRST_START_S = 15;
const LATER_START_S = 6;
const MAX_MEGABYTES = 400;
const excluded = ['node_modules', '.git', 'cdk.out', 'docs.out', 'documents.out', '.local', 'coverage'];

/**
 * `npm start` in a copy of the project that has never been started, and once more: seconds until it is ready, and memory
 * of npm and its descendants. Each instance of a function takes 14 MB more, until it is idle for a minute; there are at
 * most 16.
 */
export const startUp: Measurement = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'start-up-'));
  const project = join(folder, 'project');
  await cp(root, project, { recursive: true, filter: (path) => !excluded.includes(basename(path)) });
  await symlink(join(root, 'node_modules'), join(project, 'node_modules'));
  // The cache of compiled TypeScript, kept between the two starts.
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
        readyWithin('npm start to ready, first', first, FIRST_START_S),
        readyWithin('npm start to ready, later', later, LATER_START_S),
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

const readyWithin = (figure: string, { readyAfterMs }: LocalStack, seconds: number): Measured => ({
  figure,
  measured: `${(readyAfterMs / 1000).toFixed(1)} s`,
  mustBe: `at most ${seconds} s`,
  ok: readyAfterMs <= seconds * 1000,
});

const within = (figure: string, resident: number, more = ''): Measured => ({
  figure,
  measured: `${Math.round(resident)} MB${more}`,
  mustBe: `at most ${MAX_MEGABYTES} MB`,
  ok: resident <= MAX_MEGABYTES,
});
