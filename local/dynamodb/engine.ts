import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { prepareDatabase } from './database-file';
import { freePort } from '../free-port';

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

/**
 * Starts the engine on its file, made first if it isn't there; with `DYNAMODB_ENDPOINT` in the environment uses that
 * endpoint instead. Throws when this platform has no engine and none is named, or when it does not come up.
 */
export async function startEngine(file: string): Promise<DynamoDbEngine> {
  const endpoint = process.env['DYNAMODB_ENDPOINT'];
  if (endpoint) return { url: endpoint.replace(/\/$/, ''), stop: () => Promise.resolve() };
  const binary = findBinary();
  await prepareDatabase(file);
  const port = await freePort();
  const child = spawn(
    '/bin/sh',
    ['-c', leash, binary, 'serve', '--host', '127.0.0.1', '--port', String(port), '--db-path', file],
    // Its own session: Ctrl-C in the terminal reaches the stack, which stops the engine last.
    { stdio: ['pipe', 'ignore', 'pipe'], detached: true },
  );
  let complaint = '';
  child.stderr.on('data', (chunk: Buffer) => (complaint = `${complaint}${chunk.toString()}`.slice(-2000)));
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  child.stdin.on('error', () => undefined);

  const url = `http://127.0.0.1:${port}`;
  const deadline = Date.now() + 10_000;
  while (!(await answers(url))) {
    if (child.exitCode !== null) throw new Error(`The DynamoDB engine stopped at once: ${complaint.trim()}`);
    if (Date.now() > deadline) throw new Error('The DynamoDB engine did not answer within 10 s');
    await pause(10);
  }
  return {
    url,
    stop: async () => {
      child.stdin.end();
      await ended;
    },
  };
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
