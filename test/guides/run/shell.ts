import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram, type Run } from './run-program';

/** What a shell block printed, and the status of each of its requests. */
export interface ShellRun extends Run {
  readonly statuses: readonly string[];
}

export type Shell = ReturnType<typeof openShell>;

/** Before a block: its variables from the blocks before, and a curl that also reports each status. */
const before = (state: string) => `
set -euo pipefail
curl() { command curl -w '%{stderr}@status %{http_code}\\n' "$@"; }
if [ -f ${state} ]; then . ${state}; fi
`;
/** After it: its variables are kept, without those that bash does not let anybody set. */
const after = (state: string) => `
declare -p | grep -E '^declare -[-x]+ [A-Z][A-Z_0-9]*=' > ${state}
`;

/**
 * A shell for the blocks of one guide, which share their variables as in one terminal.
 * @param environment file of shell commands that set addresses and credentials
 */
export function openShell(environment: string) {
  const folder = mkdtempSync(join(tmpdir(), 'guide-'));
  const state = join(folder, 'state');
  const run = (text: string) =>
    runProgram('bash', ['--norc', '-c', text], { ...process.env, npm_config_loglevel: 'error' });

  return {
    /** Runs the first commands: like a reader, from the file that \`npm start\` writes. */
    start: () => run(`. ${environment}\n${after(state)}`),

    async run(text: string): Promise<ShellRun> {
      const { stderr, ...result } = await run(before(state) + text + after(state));
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
