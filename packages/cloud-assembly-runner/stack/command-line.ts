import { resolve } from 'node:path';
import type { parseArgs } from 'node:util';
import { portsFrom, integerOption } from './ports';
import type { RunOptions } from './run';

/** Flags of the runner, for `parseArgs` of `node:util`. */
export const flags = {
  /** Folder of a synthesised app. */
  app: { type: 'string' },
  /** Keep data in memory. */
  memory: { type: 'boolean', default: false },
  /**
   * Maximum number of instances of all functions, 14 MB each; beyond it, idle instances are replaced. Those that a call
   * has held for a quarter of a second don't count, up to 100: Lambda would start others beside them, and here they
   * need no processor.
   */
  instances: { type: 'string', default: '16' },
  /** Enforce the default quotas of an AWS account. */
  quotas: { type: 'boolean', default: false },
  /** Enforce the quotas of a new account, in which Lambda runs ten invocations at a time. */
  'new-account': { type: 'boolean', default: false },
  /** JSON file that names faults (`faults/faults-file.ts`). */
  faults: { type: 'string' },
  /** Seconds for which access tokens of user pools are valid, instead of what their clients say. */
  'token-lifetime': { type: 'string' },
  /** Milliseconds that five minutes of an alarm's period last. */
  'alarm-period': { type: 'string' },
} as const;

/** The flags as lines of a help text. */
export const flagsHelp = `  --app FOLDER          a synthesised app, instead of one that is synthesised now
  --memory              keep no data from one start to the next
  --instances NUMBER    at most this many function instances, 14 MB each (default: 16)
  --quotas              enforce the default quotas of an AWS account
  --new-account         enforce those of a new account, in which Lambda runs ten invocations at a time
  --token-lifetime S    access tokens that are valid for S seconds, up to a day, to test renewal
  --alarm-period MS     alarms take this for five minutes, to test them
  --faults FILE         make AWS calls fail as the JSON file says; changes of the file apply at once`;

/** Cognito's longest validity of an access token, a day. Its shortest, five minutes, is too long for a test of renewal. */
const LONGEST_TOKEN_S = 86_400;

const FIVE_MINUTES_MS = 300_000;

type Flags = ReturnType<typeof parseArgs<{ options: typeof flags }>>['values'];

/** Options of `run` that flags and environment variables set. */
export type CommandLineOptions = Omit<RunOptions<object>, 'assembly' | 'prepare' | 'ready'>;

/**
 * Options from parsed flags, and from `LOCAL_DIR`, `PORT`, `IDENTITY_PORT`, `WS_PORT`, `MQTT_PORT` and `AWS_PORT` of the
 * environment.
 * @param defaultFolder data folder without `LOCAL_DIR`
 * @throws Error with one line that names an invalid value
 */
export function optionsFrom(
  values: Omit<Flags, 'app'>,
  environment: NodeJS.ProcessEnv,
  defaultFolder: string,
): CommandLineOptions {
  return {
    folder: resolve(environment['LOCAL_DIR'] ?? defaultFolder),
    ports: portsFrom(environment),
    memory: values.memory,
    instances: integerOption('--instances', values.instances, 1000),
    quotas: values['new-account'] ? 'new-account' : values.quotas ? 'default' : undefined,
    faultsFile: values.faults === undefined ? undefined : resolve(values.faults),
    tokenLifetime:
      values['token-lifetime'] === undefined
        ? undefined
        : integerOption('--token-lifetime', values['token-lifetime'], LONGEST_TOKEN_S),
    alarmPeriodMs:
      values['alarm-period'] === undefined
        ? undefined
        : integerOption('--alarm-period', values['alarm-period'], FIVE_MINUTES_MS),
  };
}

/**
 * Runs a program until it ends or SIGINT (Ctrl-C), SIGTERM or SIGHUP aborts `stopped`. Prints the message of an error and
 * sets exit code 1; after a signal, errors are ignored.
 */
export function untilSignal(program: (stopped: AbortSignal) => Promise<void>): void {
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopping.abort());
  program(stopping.signal).catch((error: unknown) => {
    if (stopping.signal.aborted) return;
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  });
}
