import { cpSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../outsiders/processes';
import { pythonWith, withAttempts } from '../outsiders/install';

const root = join(__dirname, '../..');

export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  /** Variables beside those of the caller. */
  readonly env?: Readonly<Record<string, string>>;
}

/** How the programs in one language are written, checked and run. Those of all guides are in one folder. */
interface Language {
  /** Where a program is written, in that folder. */
  readonly file: (name: string) => string;
  /** Makes the written programs ready to be checked and run. @throws Error with the output of what has failed */
  readonly prepare?: (folder: string) => void | Promise<void>;
  /** Each checks all programs, strictly: without a finding it ends with 0 and prints nothing to its standard output. */
  readonly checks: (folder: string) => readonly Command[] | Promise<readonly Command[]>;
  readonly run: (folder: string, name: string) => Command | Promise<Command>;
}

/** The client is run as its source, not as it was last built. */
const CONDITION = 'drone-mission-source';
const compilerOptions = {
  customConditions: [CONDITION],
  allowImportingTsExtensions: true,
  types: ['node'],
  lib: ['es2023', 'esnext.disposable'],
};

const bundled = [
  '--bundle',
  '--platform=node',
  '--format=esm',
  `--conditions=${CONDITION}`,
  // Is CommonJS, which a bundle of ES modules can't require.
  '--external:ws',
  '--outdir=bin',
  '--out-extension:.js=.mjs',
  // Keeps the module that is imported for its effect only.
  '--ignore-annotations',
  '--log-level=warning',
];

const ts: Language = {
  file: (name) => `${name}.mts`,
  prepare: async (folder) => {
    const settings = { extends: join(root, 'tsconfig.base.json'), compilerOptions, include: ['*.mts'] };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings));
    // At once: a loader of TypeScript would compile the client again at each start.
    const programs = readdirSync(folder).filter((file) => file.endsWith('.mts'));
    await runCommand(join(root, 'node_modules/.bin/esbuild'), [...programs, ...bundled], { cwd: folder });
  },
  checks: (folder) => [
    { program: 'node', args: [join(root, 'node_modules/typescript/bin/tsc'), '--noEmit', '-p', folder] },
  ],
  run: (folder, name) => ({ program: 'node', args: [join(folder, 'bin', `${name}.mjs`)] }),
};

const pythonClient = join(root, 'clients/python');
const pythonSource = join(pythonClient, 'src');
/** The interpreter with the packages that the client needs. @throws NotInstalled */
const interpreter = () => pythonWith('python-client', join(pythonClient, 'requirements.txt'));
const mypy = ['-m', 'mypy', '--strict', '--no-error-summary', '--cache-dir', join(root, 'node_modules/.cache/mypy')];

const python: Language = {
  file: (name) => `${name}.py`,
  checks: async (folder) => [
    { program: await interpreter(), args: [...mypy, folder], env: { MYPYPATH: pythonSource } },
  ],
  run: async (folder, name) => ({
    program: await interpreter(),
    args: [join(folder, python.file(name))],
    // Compiled once, and not beside the sources.
    env: { PYTHONPATH: pythonSource, PYTHONPYCACHEPREFIX: join(root, 'node_modules/.cache/python') },
  }),
};

const go: Language = {
  // A folder is a program.
  file: (name) => `${name}/main.go`,
  prepare: async (folder) => {
    await makePartnerModule(folder);
    // At once, and by at most two processes: each links a whole program, for which it takes much memory.
    await runCommand('go', ['build', '-p=2', '-buildvcs=false', '-o', 'bin/', './...'], { cwd: folder });
  },
  checks: (folder) => [
    { program: 'go', args: ['-C', folder, 'vet', './...'] },
    { program: 'gofmt', args: ['-l', folder] },
  ],
  run: (folder, name) => ({ program: join(folder, 'bin', name), args: [] }),
};

/** By what stands behind the fence of a block. */
export const languages = { ts, python, go } as const;

export type LanguageName = keyof typeof languages;

export const languageNames = Object.keys(languages) as LanguageName[];

const goClient = join(root, 'clients/go');
const MODULE = 'drone-mission-api/clients/go';

/**
 * Makes a folder the module of a partner, whose programs import the client as it is in this repository.
 * @throws Error when the modules that the client needs can't be downloaded
 */
export async function makePartnerModule(folder: string): Promise<void> {
  for (const file of ['go.mod', 'go.sum']) cpSync(join(goClient, file), join(folder, file));
  const own = ['-module', 'example.com/partner', '-require', `${MODULE}@v0.0.0`, '-replace', `${MODULE}=${goClient}`];
  await runCommand('go', ['mod', 'edit', ...own], { cwd: folder });
  await withAttempts('downloading modules', () => runCommand('go', ['mod', 'download'], { cwd: folder }));
}
