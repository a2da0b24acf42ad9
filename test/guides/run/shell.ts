import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { spawn } from 'node:child_process';

/**
 * A wscat that does not end after the seconds of `-w` before it has printed each line of $awaited: on a busy machine an answer
 * may take longer. It waits for at most a minute. The name is in lower case, so that the shell does not keep the variable.
 */
const patientWscat = `
npx() {
  if [ "$2" != wscat ]; then command npx "$@"; return; fi
  local given=("\${@:3}") seconds=0 status=0 since=$SECONDS printed index wscat
  for index in "\${!given[@]}"; do
    if [ "\${given[$index]}" = -w ]; then seconds=\${given[$index + 1]}; given[$index + 1]=60; fi
  done
  printed=$(mktemp)
  node_modules/.bin/wscat "\${given[@]}" <&0 >"$printed" &
  wscat=$!
  while kill -0 $wscat 2>/dev/null; do
    if [ $((SECONDS - since)) -gt "$seconds" ] && has_all "$printed"; then break; fi
    sleep 0.1
  done
  if kill $wscat 2>/dev/null; then wait $wscat || true; else wait $wscat || status=$?; fi
  cat "$printed"
  rm "$printed"
  return $status
}
has_all() {
  local text
  while read -r text; do grep -qF -- "$text" "$1" || return 1; done <<<"$awaited"
}`;

/**
 * A mosquitto_sub that asks once more when it was refused after five seconds: AWS IoT gives an authorizer no longer,
 * and on a busy machine its function may still have been starting. Who is refused sooner is refused for good.
 */
const patientMosquitto = `
mosquitto_sub() {
  local since=$SECONDS status=0
  command mosquitto_sub "$@" || status=$?
  if [ $status -eq 5 ] && [ $((SECONDS - since)) -ge 4 ]; then status=0; command mosquitto_sub "$@" || status=$?; fi
  return $status
}`;

/** What a shell block printed, and the status of each of its requests. */
export interface ShellRun extends Run {
  readonly statuses: readonly string[];
}

export type Shell = ReturnType<typeof openShell>;

/** Before a block: its variables from the blocks before, and a curl that also reports each status. */
const before = (state: string) => `
set -euo pipefail
curl() { command curl -w '%{stderr}@status %{http_code}\\n' "$@"; }
${patientWscat}
${patientMosquitto}
if [ -f ${state} ]; then . ${state}; fi
`;
/** After it: its variables are kept, without those that bash does not let anybody set. */
const after = (state: string) => `
declare -p | grep -E '^declare -[-x]+ [A-Z][A-Z_0-9]*=' > ${state}
`;

/**
 * A shell for the blocks of one guide, which share their variables as in one terminal.
 * @param environment file of shell commands that set addresses and credentials, in the data folder of a stack
 */
export function openShell(environment: string) {
  const folder = mkdtempSync(join(tmpdir(), 'guide-'));
  const state = join(folder, 'state');
  const run = (text: string, awaited: readonly string[] = []) =>
    runProgram('bash', ['--norc', '-c', text], {
      ...process.env,
      LOCAL_DIR: dirname(environment),
      npm_config_loglevel: 'error',
      awaited: awaited.join('\n'),
    });

  return {
    /** Runs the first commands: like a reader, from the file that \`npm start\` writes. */
    start: () => run(`. ${environment}\n${after(state)}`),

    /** @param awaited what wscat must have printed before it ends */
    async run(text: string, awaited: readonly string[]): Promise<ShellRun> {
      const { stderr, ...result } = await run(before(state) + text + after(state), awaited);
      const statuses = [...stderr.matchAll(/^@status (\d{3})$/gm)].map(([, status = '']) => status);
      return { ...result, stderr, statuses };
    },

    /** The variables that the shell exports, for programs started in it. */
    async exported(): Promise<NodeJS.ProcessEnv> {
      const { stdout } = await run(`. ${state}; env -0`);
      return Object.fromEntries(
        stdout.split('\0').flatMap((line) => {
          const [, name, value = ''] = /^([^=]+)=(.*)$/s.exec(line) ?? [];
          return name === undefined ? [] : [[name, value]];
        }),
      );
    },

    close: () => rmSync(folder, { recursive: true }),
  };
}

const root = join(__dirname, '../../..');

/** A program that hangs, such as one that waits for a message, ends after that; in ms. */
const TIMEOUT_MS = 120_000;

export interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program in the project's folder until it exits. Its input stays open, as in a terminal. */
export function runProgram(command: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<Run> {
  const child = spawn(command, args, { cwd: root, env, timeout: TIMEOUT_MS });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      child.stdin.destroy();
      resolve({ code, stdout, stderr });
    });
  });
}
