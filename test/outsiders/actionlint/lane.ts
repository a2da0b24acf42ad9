import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { root } from '../artifacts';
import { runCommand } from '../processes';
import { installed, ensureDebianProgram } from '../install';
import { NotInstalled, type Lane } from '../lane';

/** Output of `-format '{{json .}}'`, as far as it is used. */
const problems = z.array(
  z.object({ filepath: z.string(), line: z.number(), column: z.number(), message: z.string(), kind: z.string() }),
);
/** 1: it has found something (actionlint's usage, "Exit status"); the same for shellcheck. */
const EXIT_CODES = [0, 1];
/** Actions are pinned to a commit, since a tag can be moved; the comment names the version. */
const pinned = /uses: (\.\/\S+|[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+)$/;

/** Only GitHub can run workflows, so they are checked statically here. */
export const actionlint: Lane = {
  title: 'the GitHub Actions workflows, by actionlint, and the scripts of workflows and CI, by shellcheck',
  run: async () => {
    await ensureDebianProgram('shellcheck', 'shellcheck');
    const program = join(await installActionlint(), 'actionlint');
    const workflows = filesIn('.github/workflows');
    const scripts = filesIn('.ci').filter((file) => !file.endsWith('.tsv'));
    const findings = await lintWorkflows(program, workflows);
    const { stdout } = await runCommand('shellcheck', ['--format', 'gcc', ...scripts], {
      cwd: root,
      exitCodes: EXIT_CODES,
    });
    console.log(`  ${workflows.length} workflows, ${scripts.length} scripts`);
    return [...findings, ...workflows.flatMap(unpinned), ...stdout.split('\n').filter(Boolean)];
  },
};

/** Builds it from the Go module proxy, with all modules pinned by go.sum. */
async function installActionlint(): Promise<string> {
  if (spawnSync('go', ['version']).status !== 0)
    throw new NotInstalled('Go', 'version 1.25 or later, as go.mod in test/outsiders/actionlint says');
  const contents = ['go.mod', 'go.sum'].map((file) => readFileSync(join(__dirname, file), 'utf8')).join('');
  return installed('actionlint', contents, async (folder) => {
    const options = ['-mod=readonly', '-trimpath', '-o', join(folder, 'actionlint')];
    await runCommand('go', ['build', ...options, 'github.com/rhysd/actionlint/cmd/actionlint'], { cwd: __dirname });
  });
}

async function lintWorkflows(program: string, files: readonly string[]): Promise<string[]> {
  const args = ['-shellcheck', 'shellcheck', '-pyflakes', '', '-format', '{{json .}}', ...files];
  const { stdout } = await runCommand(program, args, { cwd: root, exitCodes: EXIT_CODES });
  return problems
    .parse(JSON.parse(stdout))
    .map(({ filepath, line, column, message, kind }) => `${filepath}:${line}:${column} ${message} [${kind}]`);
}

function unpinned(file: string): string[] {
  return readFileSync(join(root, file), 'utf8')
    .split('\n')
    .flatMap((line, index) =>
      line.includes('uses:') && !pinned.test(line)
        ? `${file}:${index + 1} is not pinned to a commit with its version as a comment: ${line.trim()}`
        : [],
    );
}

/** @throws Error for an empty folder, of which nothing would be checked */
function filesIn(folder: string): string[] {
  const files = readdirSync(join(root, folder)).map((name) => join(folder, name));
  if (files.length === 0) throw new Error(`${folder} is empty`);
  return files;
}
