import { execFile } from 'node:child_process';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { serialize } from 'node:v8';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buildSync } from 'esbuild';
import { bundle } from '../../lib/functions/bundle';
import { endpointsToStart, storeSubjects, type Start } from './support/endpoints-to-start';
import { median, type Measured, type Measurement } from './support/figure';
import type { FirstCall } from './support/first-call';
import { useStorage } from './support/storage';

const run = promisify(execFile);

const ROUNDS = 31;
/** Of the bare SDK as esbuild bundles it for Node.js by default. */
const MAX_RATIO = 0.75;
/**
 * What a function may add to the bare SDK in a bundle like its own, in ms. Not a ratio: what is cut from the SDK makes
 * both faster and the ratio larger.
 */
const MAX_ADDED_MS = 13;
const MAX_KILOBYTES = 310;

/**
 * The size of every endpoint's bundle, and the processor time to load it and make a first call in a fresh process, alternating
 * with a function that makes the same calls and nothing else: the bare SDK, bundled by default and like the service's functions.
 * Processor time decides, since a start does little else, and other programs of the machine disturb it less than the
 * elapsed time.
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
    bundle(['bare-function', 'first-call'], folder, 'test/bench/support');
    bundleByDefault('bare-function', bundleOf('bare-sdk'));
    const timeOf = async (file: string, event: unknown, status: number): Promise<FirstCall> => {
      // JSON has no sets, which a recorded call may contain.
      const words = [bundleOf('first-call'), file, serialize(event).toString('base64')];
      const { stdout } = await run(process.execPath, words, { env: { ...environment, ...settings } });
      const last = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as FirstCall;
      if (last.statusCode !== status) throw new Error(`${file} answered ${last.statusCode}: ${stdout}`);
      return last;
    };

    const times: readonly Times[] = starts.map((start) => ({ start, own: [], likeBundled: [], bare: [] }));
    for (let round = 0; round < ROUNDS; round++) {
      for (const { start, own, likeBundled, bare } of times) {
        await storeSubjects(start.calls);
        bare.push(await timeOf(bundleOf('bare-sdk'), start.calls, 200));
        await storeSubjects(start.calls);
        likeBundled.push(await timeOf(bundleOf('bare-function'), start.calls, 200));
        await storeSubjects(start.calls);
        own.push(await timeOf(bundleOf(start.entry), start.event, start.status));
      }
    }
    const sizes = await Promise.all(starts.map(async ({ entry }) => (await stat(bundleOf(entry))).size));
    return [...starts.map(({ entry }, index) => sizeOf(entry, sizes[index] ?? 0)), ...times.map(compared)];
  } finally {
    identity.close();
    await rm(folder, { recursive: true });
  }
};

/** What the functions of an endpoint took, each in a process of its own. */
interface Times {
  readonly start: Start;
  readonly own: FirstCall[];
  /** The bare SDK in a bundle like the service's own. */
  readonly likeBundled: FirstCall[];
  /** The bare SDK as esbuild bundles it by default. */
  readonly bare: FirstCall[];
}

/**
 * Bundles a file of `test/bench/support/` with the SDK, without any setting that the service's own bundles have beyond
 * minifying.
 */
function bundleByDefault(entry: string, outfile: string): void {
  const entryPoints = [join(__dirname, 'support', `${entry}.ts`)];
  buildSync({ entryPoints, outfile, bundle: true, minify: true, platform: 'node', target: 'node20', format: 'cjs' });
}

const sizeOf = (entry: string, bytes: number): Measured => ({
  figure: `bundle of ${entry}`,
  measured: `${Math.round(bytes / 1000)} kB`,
  mustBe: `at most ${MAX_KILOBYTES} kB`,
  ok: bytes <= MAX_KILOBYTES * 1000,
});

const processorOf = (calls: readonly FirstCall[]): number => median(calls.map(({ processor }) => processor));
const elapsedOf = (calls: readonly FirstCall[]): string => median(calls.map(({ elapsed }) => elapsed)).toFixed(1);

function compared({ start, own, likeBundled, bare }: Times): Measured {
  const [ownTime, likeBundledTime, bareTime] = [own, likeBundled, bare].map(processorOf) as [number, number, number];
  const [ratio, added] = [ownTime / bareTime, ownTime - likeBundledTime];
  return {
    figure: `init + first call of ${start.entry}`,
    measured:
      `${ownTime.toFixed(1)} ms of processor time, ${ratio.toFixed(2)} x the bare SDK (${bareTime.toFixed(1)} ms), ` +
      `${(ownTime / likeBundledTime).toFixed(2)} x the same in our bundling (${likeBundledTime.toFixed(1)} ms); ` +
      `elapsed ${elapsedOf(own)}, ${elapsedOf(bare)}, ${elapsedOf(likeBundled)} ms`,
    mustBe: `at most ${MAX_RATIO} x the bare SDK, ${MAX_ADDED_MS} ms more than in our bundling`,
    ok: ratio <= MAX_RATIO && added <= MAX_ADDED_MS,
  };
}

/** What is read of a token is the list of its scopes. */
const token = `e30.${Buffer.from('{"scope":"https://api.test/command:read"}').toString('base64url')}.c2lnbmF0dXJl`;

/** A stub of the identity provider's token endpoint. */
interface TokenEndpoint {
  readonly url: string;
  close(): void;
}

/** Starts it on a free port; it issues a token for every request. */
async function startTokenEndpoint(): Promise<TokenEndpoint> {
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ access_token: token, token_type: 'Bearer', expires_in: 3600 }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
}
