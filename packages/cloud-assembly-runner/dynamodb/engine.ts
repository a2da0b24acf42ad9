import { spawn } from 'node:child_process';
import { readFileSync, existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { failStack, FatalError } from '../stack/fatal-error';
import { freePort } from '../free-port';
import { reportFullDisk, replaceFile } from '../data-folder/atomic-file';

/** A running DynamoDB engine, or an external endpoint. */
export interface DynamoDbEngine {
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Runs the engine and kills it when stdin closes. The operating system closes that pipe when this process ends for any
 * reason, so the engine never outlives it.
 */
const supervisor = `
  exec 3<&0
  "$0" "$@" </dev/null 3<&- & engine=$!
  { read -r _ <&3; kill "$engine"; } 2>/dev/null & watch=$!
  exec 3<&-
  wait "$engine"; status=$?
  kill "$watch" 2>/dev/null
  exit "$status"
`;

/** An engine that crashes this often within a minute is not restarted. */
const MAX_CRASHES = 5;
const MINUTE_MS = 60_000;

/** Part of the engine's error for a write without disk space. */
const DISK_FULL = 'disk is full';

/** Whether the engine's output means that its disk is full. */
export function isDiskFull(output: string | Buffer): boolean {
  return output.includes(DISK_FULL);
}

/**
 * Starts the engine on its file, which is created if it does not exist, and restarts it at the same address when it
 * crashes: acknowledged writes are in the file. When it keeps crashing or does not start, the stack ends. With
 * `DYNAMODB_ENDPOINT` in the environment uses that endpoint instead.
 * @throws Error when there is neither an engine for this platform nor an endpoint, or when the engine does not start;
 *   names file and remedy when the file can't be opened
 */
export async function startEngine(file: string): Promise<DynamoDbEngine> {
  const endpoint = process.env['DYNAMODB_ENDPOINT'];
  if (endpoint) return { url: endpoint.replace(/\/$/, ''), stop: () => Promise.resolve() };
  const binary = findBinary();
  await prepareDatabase(file);
  const port = await freePort();
  const crashes: number[] = [];
  let stopping = false;
  let running = await run(binary, file, port);
  let restarting: Promise<void> | undefined;
  watch();

  function watch(): void {
    void running.ended.then(() => {
      if (!stopping) restarting = restart().catch(endStack);
    });
  }

  async function restart(): Promise<void> {
    for (let reason = running.stderr(); !stopping;) {
      crashes.push(performance.now());
      const [first = 0] = crashes.slice(-MAX_CRASHES);
      if (crashes.length >= MAX_CRASHES && performance.now() - first < MINUTE_MS) {
        throw new Error(`The DynamoDB engine crashed ${MAX_CRASHES} times in a minute: ${reason}`);
      }
      console.warn('The DynamoDB engine crashed and is restarted.');
      try {
        running = await run(binary, file, port);
        watch();
        return;
      } catch (error) {
        if (error instanceof FatalError) return;
        reason = error instanceof Error ? error.message : String(error);
      }
    }
  }

  function endStack({ message }: Error): void {
    failStack(`${message.replace(/\.?$/, '.')} The data in ${file} is kept: start again.`);
  }

  return {
    url: `http://127.0.0.1:${port}`,
    stop: async () => {
      stopping = true;
      await restarting;
      await running.stop();
    },
  };
}

/** Starts an engine for tests: its data are in memory, and end with it. Like the other it never outlives this process. */
export async function startEngineInMemory(): Promise<DynamoDbEngine> {
  const port = await freePort();
  const { stop } = await run(findBinary(), ':memory:', port);
  return { url: `http://127.0.0.1:${port}`, stop };
}

interface RunningEngine {
  /** Resolves when the process has ended for any reason. */
  readonly ended: Promise<void>;
  /** The end of its stderr. */
  stderr(): string;
  stop(): Promise<void>;
}

/** Resolves when the engine answers. */
async function run(binary: string, file: string, port: number): Promise<RunningEngine> {
  const child = spawn(
    '/bin/sh',
    ['-c', supervisor, binary, 'serve', '--host', '127.0.0.1', '--port', String(port), '--db-path', file],
    // Detached: Ctrl-C in the terminal reaches only the stack, which stops the engine last.
    { stdio: ['pipe', 'ignore', 'pipe'], detached: true },
  );
  let stderr = '';
  const over = new AbortController();
  child.stderr.on('data', (chunk: Buffer) => (stderr = `${stderr}${chunk.toString()}`.slice(-2000)));
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
    if (over.signal.aborted) throw startError(file, asLine(stderr));
    if (performance.now() > deadline) {
      await stop();
      throw new Error('The DynamoDB engine did not answer within 10 s.');
    }
    await pause(10);
  }
  return { ended, stop, stderr: () => asLine(stderr) };
}

/** Removes the start-up message. */
function asLine(output: string): string {
  const lines = output.split('\n').filter((line) => line !== '' && !line.startsWith('Dynoxide listening'));
  return lines.join(' ').replace(/^error: /, '') || 'no error message';
}

function startError(file: string, stderr: string): Error {
  if (isDiskFull(stderr)) return reportFullDisk(file);
  const remedy = `If the file can't be read, put back a copy of it, or remove ${dirname(file)} to start afresh.`;
  return new Error(`The DynamoDB engine did not start with ${file}: ${stderr.replace(/\.?$/, '.')} ${remedy}`);
}

/**
 * The engine's program for a platform. Its author publishes a package for each of macOS, Linux and Windows that has its
 * program in it; the lockfile has that of Linux x64.
 * @param resolve `require.resolve`, or what a test says in its place
 * @throws Error that names the package to install
 */
export function findBinary(
  platform: string = process.platform,
  arch: string = process.arch,
  resolve: (name: string) => string = require.resolve,
): string {
  const name = `@dynoxide/${platform}-${arch}`;
  try {
    return join(dirname(resolve(`${name}/package.json`)), platform === 'win32' ? 'dynoxide.exe' : 'dynoxide');
  } catch (cause) {
    const hint = `run npm install --no-save ${name}@${engineVersion()}, or set DYNAMODB_ENDPOINT, for example to the amazon/dynamodb-local image`;
    throw new Error(`There is no DynamoDB engine for ${platform}-${arch}: ${hint}`, { cause });
  }
}

/** The version that the package depends on. */
function engineVersion(): string {
  const file = readFileSync(join(__dirname, '..', 'package.json'), 'utf8');
  const { optionalDependencies } = JSON.parse(file) as { readonly optionalDependencies: Record<string, string> };
  return Object.values(optionalDependencies).join();
}

async function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    () => true,
    () => false,
  );
}

/** Newest stream records kept per table. AWS keeps a day of them; readers here are seconds behind. */
const MAX_STREAM_RECORDS = 10_000;

/**
 * The schema that the engine would create itself (dynoxide 1.2, schema version 9), plus two indexes and a trigger.
 * Without them every write searches all records for the table's highest sequence number and slows down as they grow.
 * The trigger trims per table and never deletes a table's newest record, from which the next number is derived: a
 * reader finds every record after its position.
 */
const schema = `
  CREATE TABLE _stream_records (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    table_name TEXT NOT NULL,
    event_name TEXT NOT NULL,
    keys_json TEXT NOT NULL,
    new_image TEXT,
    old_image TEXT,
    sequence_number TEXT NOT NULL,
    shard_id TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    user_identity TEXT
  );
  CREATE INDEX _stream_records_by_table
    ON _stream_records (table_name, CAST(sequence_number AS INTEGER));
  CREATE INDEX _stream_records_by_shard
    ON _stream_records (table_name, shard_id, CAST(sequence_number AS INTEGER));
  CREATE TRIGGER _stream_records_trim AFTER INSERT ON _stream_records
    WHEN CAST(NEW.sequence_number AS INTEGER) % 100 = 0
    BEGIN
      DELETE FROM _stream_records
        WHERE table_name = NEW.table_name
          AND CAST(sequence_number AS INTEGER) <= CAST(NEW.sequence_number AS INTEGER) - ${MAX_STREAM_RECORDS};
    END;
`;

/** Creates the engine's database file unless it exists. The folder must exist. @throws FatalError on a full disk */
export async function prepareDatabase(file: string): Promise<void> {
  if (existsSync(file)) return;
  const { default: initSqlJs } = await import('sql.js');
  const { Database } = await initSqlJs();
  const database = new Database();
  database.exec(schema);
  // Atomically: the engine would refuse an incomplete file at every start.
  replaceFile(file, database.export());
  database.close();
}
