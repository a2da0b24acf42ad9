import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { breakDown, Breakdown } from '../breakdown';
import { freePort } from '../free-port';
import { fullDisk } from '../kept-file';
import { prepareDatabase } from './database-file';

/** A running DynamoDB engine, or the address of one that somebody else runs. */
export interface DynamoDbEngine {
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Runs the engine and leaves with it when the input closes: when this process ends, however it ends, the operating
 * system closes the pipe, so the engine never outlives it.
 */
const leash = `
  exec 3<&0
  "$0" "$@" </dev/null 3<&- & engine=$!
  { read -r _ <&3; kill "$engine"; } 2>/dev/null & watch=$!
  exec 3<&-
  wait "$engine"; status=$?
  kill "$watch" 2>/dev/null
  exit "$status"
`;

/** An engine that dies so often within a minute would go on doing so. */
const MOST_DEATHS = 5;
const MINUTE_MS = 60_000;

/** What the engine says of a write when there is no space for it. */
const DISK_FULL = 'disk is full';

/** Whether the engine's words mean that the disk of its file is full. */
export function saysDiskFull(words: string | Buffer): boolean {
  return words.includes(DISK_FULL);
}

/**
 * Starts the engine on its file, made first if it isn't there, and starts it again, at the same address, when it dies: what
 * it has acknowledged is in the file. When it keeps dying or does not come up again, that is a breakdown of the stack. With
 * `DYNAMODB_ENDPOINT` in the environment uses that endpoint instead.
 * @throws Error when this platform has no engine and none is named, or when it does not come up; names the file and the
 *   remedy when that can't be opened
 */
export async function startEngine(file: string): Promise<DynamoDbEngine> {
  const endpoint = process.env['DYNAMODB_ENDPOINT'];
  if (endpoint) return { url: endpoint.replace(/\/$/, ''), stop: () => Promise.resolve() };
  const binary = findBinary();
  await prepareDatabase(file);
  const port = await freePort();
  const deaths: number[] = [];
  let stopping = false;
  let running = await run(binary, file, port);
  let again: Promise<void> | undefined;
  follow();

  function follow(): void {
    void running.ended.then(() => {
      if (!stopping) again = startAgain().catch(giveUp);
    });
  }

  async function startAgain(): Promise<void> {
    for (let reason = running.complaint(); !stopping;) {
      deaths.push(performance.now());
      const [first = 0] = deaths.slice(-MOST_DEATHS);
      if (deaths.length >= MOST_DEATHS && performance.now() - first < MINUTE_MS) {
        throw new Error(`The DynamoDB engine died ${MOST_DEATHS} times in a minute: ${reason}`);
      }
      console.warn('The DynamoDB engine died; it is started again.');
      try {
        running = await run(binary, file, port);
        follow();
        return;
      } catch (error) {
        if (error instanceof Breakdown) return;
        reason = error instanceof Error ? error.message : String(error);
      }
    }
  }

  function giveUp({ message }: Error): void {
    breakDown(`${message.replace(/\.?$/, '.')} What ${file} holds is kept: start again.`);
  }

  return {
    url: `http://127.0.0.1:${port}`,
    stop: async () => {
      stopping = true;
      await again;
      await running.stop();
    },
  };
}

interface RunningEngine {
  /** Resolves when it has ended, however it did. */
  readonly ended: Promise<void>;
  /** The last that it said about errors. */
  complaint(): string;
  stop(): Promise<void>;
}

/** Resolves when the engine answers. */
async function run(binary: string, file: string, port: number): Promise<RunningEngine> {
  const child = spawn(
    '/bin/sh',
    ['-c', leash, binary, 'serve', '--host', '127.0.0.1', '--port', String(port), '--db-path', file],
    // Its own session: Ctrl-C in the terminal reaches the stack, which stops the engine last.
    { stdio: ['pipe', 'ignore', 'pipe'], detached: true },
  );
  let complaint = '';
  const over = new AbortController();
  child.stderr.on('data', (chunk: Buffer) => (complaint = `${complaint}${chunk.toString()}`.slice(-2000)));
  const ended = new Promise<void>((resolve) => child.once('close', resolve));
  void ended.then(() => over.abort());
  child.stdin.on('error', () => undefined);
  const stop = async () => {
    child.stdin.end();
    await ended;
  };

  const url = `http://127.0.0.1:${port}`;
  const deadline = performance.now() + 10_000;
  while (!(await answers(url))) {
    if (over.signal.aborted) throw refusalToStart(file, asLine(complaint));
    if (performance.now() > deadline) {
      await stop();
      throw new Error('The DynamoDB engine did not answer within 10 s.');
    }
    await pause(10);
  }
  return { ended, stop, complaint: () => asLine(complaint) };
}

/** Without its greeting. */
function asLine(words: string): string {
  const lines = words.split('\n').filter((line) => line !== '' && !line.startsWith('Dynoxide listening'));
  return lines.join(' ').replace(/^error: /, '') || 'it did not say why';
}

function refusalToStart(file: string, complaint: string): Error {
  if (saysDiskFull(complaint)) return fullDisk(file);
  const remedy = `If the file can't be read, put back a copy of it, or remove ${dirname(file)} to start afresh.`;
  return new Error(`The DynamoDB engine did not start with ${file}: ${complaint.replace(/\.?$/, '.')} ${remedy}`);
}

function findBinary(): string {
  try {
    return join(dirname(require.resolve('@dynoxide/linux-x64/package.json')), 'dynoxide');
  } catch (cause) {
    const hint = 'name one with DYNAMODB_ENDPOINT, such as the amazon/dynamodb-local image';
    throw new Error(`There is no DynamoDB engine for ${process.platform}-${process.arch} here: ${hint}`, { cause });
  }
}

async function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    () => true,
    () => false,
  );
}
