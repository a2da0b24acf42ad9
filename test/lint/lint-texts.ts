import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const root = join(__dirname, '../..');

interface Report {
  readonly diagnostics: readonly { readonly code: string; readonly filename: string }[];
}
interface Config {
  readonly rules: Readonly<Record<string, unknown>>;
  readonly overrides: readonly { readonly rules: Readonly<Record<string, unknown>> }[];
}

/**
 * Lints texts as if they were files of this repository, by one run of the linter in a folder that has nothing else.
 * @param texts by path; typed rules know the language's own types only
 * @returns the rules that each path breaks
 */
export function lintTexts(texts: ReadonlyMap<string, string>): ReadonlyMap<string, readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'lint-texts-'));
  try {
    const config = JSON.stringify(pathToFileURL(join(root, 'oxlint.config.mjs')));
    write(folder, 'oxlint.config.mjs', `export { default } from ${config};`);
    write(folder, 'tsconfig.json', JSON.stringify({ compilerOptions: { strict: true, target: 'es2023', types: [] } }));
    for (const [path, text] of texts) write(folder, path, text);
    const broken = new Map([...texts.keys()].map((path): [string, string[]] => [path, []]));
    const { diagnostics } = oxlint(folder, '--format', 'json') as Report;
    for (const { filename, code } of diagnostics) broken.get(filename)?.push(code);
    return broken;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The rules that the configuration of this repository sets anywhere, as reports name them. */
export function rulesOfConfig(): string[] {
  const { rules, overrides } = oxlint(root, '--print-config') as Config;
  const names = [rules, ...overrides.map((override) => override.rules)].flatMap((set) => Object.keys(set));
  return [...new Set(names)].map((name) => (name.includes('/') ? name : `eslint/${name}`).replace(/\/(.*)/, '($1)'));
}

function write(folder: string, path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

function oxlint(cwd: string, ...words: string[]): unknown {
  const program = join(root, 'node_modules/oxlint/bin/oxlint');
  const { stdout, stderr } = spawnSync(process.execPath, [program, '--config', 'oxlint.config.mjs', ...words], {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, OXLINT_TSGOLINT_PATH: join(__dirname, 'tsgolint.mjs') },
    maxBuffer: 1e9,
  });
  if (!stdout.startsWith('{')) throw new Error(`The linter failed: ${stdout}${stderr}`);
  return JSON.parse(stdout);
}
