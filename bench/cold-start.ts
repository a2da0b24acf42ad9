import { execFile } from 'node:child_process';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { serialize } from 'node:v8';
import { bundle } from '../lib/functions/bundle';
import { endpointsToStart, type Start } from './endpoints-to-start';
import { median, type Measured, type Measurement } from './figure';
import { useStorage } from './storage';
import { storeSubjects } from './stored-subjects';
import { startTokenEndpoint } from './token-endpoint';

const run = promisify(execFile);

const ROUNDS = 31;
const MAX_RATIO = 1.25;
const MAX_KILOBYTES = 350;

/**
 * The size of every endpoint's bundle, and the time to load it and make a first call in a fresh process, alternating with
 * a function that makes the same calls and nothing else.
 */
export const coldStart: Measurement = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'cold-start-'));
  const { environment } = await useStorage();
  const identity = await startTokenEndpoint();
  const settings = { TOKEN_URL: identity.url, SHARE_BASE_URL: 'https://share.test' };
  Object.assign(process.env, settings);
  try {
    const starts = await endpointsToStart();
    const bundleOf = (entry: string) => join(folder, entry, 'index.js');
    bundle(
      starts.map(({ entry }) => entry),
      folder,
    );
    bundle(['bare-function', 'first-call'], folder, 'bench');
    const timeOf = async (file: string, event: unknown, status: number): Promise<number> => {
      // JSON has no sets, which a recorded call may contain.
      const words = [bundleOf('first-call'), file, serialize(event).toString('base64')];
      const { stdout } = await run(process.execPath, words, { env: { ...environment, ...settings } });
      const last = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as { ms: number; statusCode: number };
      if (last.statusCode !== status) throw new Error(`${file} answered ${last.statusCode}: ${stdout}`);
      return last.ms;
    };

    const times = starts.map((start) => ({ start, own: [] as number[], bare: [] as number[] }));
    for (let round = 0; round < ROUNDS; round++) {
      for (const { start, own, bare } of times) {
        await storeSubjects(start.calls);
        bare.push(await timeOf(bundleOf('bare-function'), start.calls, 200));
        await storeSubjects(start.calls);
        own.push(await timeOf(bundleOf(start.entry), start.event, start.status));
      }
    }
    const sizes = await Promise.all(starts.map(async ({ entry }) => (await stat(bundleOf(entry))).size));
    return [
      ...starts.map(({ entry }, index) => sizeOf(entry, sizes[index] ?? 0)),
      ...times.map(({ start, own, bare }) => compared(start, median(own), median(bare))),
    ];
  } finally {
    identity.close();
    await rm(folder, { recursive: true });
  }
};

const sizeOf = (entry: string, bytes: number): Measured => ({
  figure: `bundle of ${entry}`,
  measured: `${Math.round(bytes / 1000)} kB`,
  mustBe: `at most ${MAX_KILOBYTES} kB`,
  ok: bytes <= MAX_KILOBYTES * 1000,
});

const compared = ({ entry }: Start, own: number, bare: number): Measured => ({
  figure: `init + first call of ${entry}`,
  measured: `${own.toFixed(1)} ms, ${(own / bare).toFixed(2)} x bare (${bare.toFixed(1)} ms)`,
  mustBe: `at most ${MAX_RATIO} x bare`,
  ok: own / bare <= MAX_RATIO,
});
