import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { runCommand } from '../../outsiders/processes';
import { pythonWith } from '../../outsiders/install';
import { endWith, runChecks } from '../run-checks';

const root = join(__dirname, '../../..');
const folder = join(root, 'clients/python');

/** Ends with 3 when this Python is too old, and with 1 when it lacks venv. */
const CHECK = 'import sys; sys.version_info >= (3, 10) or sys.exit(3); import ensurepip, venv';
const TOO_OLD = 3;

const checks: readonly (readonly [title: string, args: readonly string[]])[] = [
  ['generated types', ['generate_models.py', '--check']],
  ['lint', ['-m', 'ruff', 'check', '--no-cache', '.']],
  ['format', ['-m', 'ruff', 'format', '--no-cache', '--check', '.']],
  ['types', ['-m', 'mypy', '--cache-dir', join(root, 'node_modules/.cache/mypy')]],
];

/** @throws Error with one line that says what to install */
async function expectPython(): Promise<void> {
  const remedy = 'The Python client is tested with Python 3.10 or later as python3, with venv (Debian: python3-venv)';
  const { exitCode } = await runCommand('python3', ['-c', CHECK], { exitCodes: [0, TOO_OLD] }).catch(() => {
    throw new Error(`${remedy}: install it.`);
  });
  if (exitCode === TOO_OLD) throw new Error(`${remedy}: this python3 is older.`);
}

/** Runs Python in the client's folder. @returns whether it succeeded */
function runPython(python: string, args: readonly string[]): Promise<boolean> {
  // Otherwise Python writes its compiled files beside the sources.
  const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1' };
  const child = spawn(python, args, { cwd: folder, stdio: 'inherit', env });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (exitCode) => resolve(exitCode === 0));
  });
}

/**
 * Tests the Python client: the types that are generated from docs/api/, ruff, mypy, and pytest against a stack that it starts,
 * unless BASE_URL, CLIENT_ID, CLIENT_SECRET, API_KEY, WS_URL and MQTT_URL name another.
 * @param words further arguments of pytest; `--models` writes the generated types instead
 * @returns whether all passed
 */
async function run(words: readonly string[]): Promise<boolean> {
  await expectPython();
  const python = await pythonWith('python-client', join(folder, 'requirements.txt'));
  if (words.includes('--models')) return runPython(python, ['generate_models.py']);
  const all = [...checks, ['tests', ['-m', 'pytest', ...words]] as const];
  return runChecks(all.map(([title, args]) => [title, () => runPython(python, args)]));
}

endWith(run(process.argv.slice(2)));
