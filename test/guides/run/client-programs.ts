import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pythonWith } from '../../outsiders/install/python';
import { kindOf } from '../read/block-kind';
import type { Guide } from '../read/guide';
import { runProgram, type Run } from './run-program';

const root = join(__dirname, '../../..');
/** Inside of the project, so that the programs find the client as a package. */
const folder = join(root, 'node_modules/.cache/guides');
const pythonClient = join(root, 'clients/python');

/** The client is run as its source, not as it was last built. */
const CONDITION = 'drone-mission-source';
const compilerOptions = {
  customConditions: [CONDITION],
  allowImportingTsExtensions: true,
  types: ['node'],
  lib: ['es2023', 'esnext.disposable'],
};

/** A block in TypeScript or Python, which is a whole program. */
export interface ClientProgram {
  readonly guide: string;
  readonly line: number;
  readonly language: 'ts' | 'python';
  readonly text: string;
  readonly file: string;
}

/** The programs of all guides, by language. */
export const programsIn = (guides: readonly Guide[], language: 'ts' | 'python'): ClientProgram[] =>
  guides.flatMap(({ name, blocks }) =>
    blocks
      .filter((block) => block.language === language && kindOf(block) === 'program')
      .map(({ text, line }) => {
        const file = join(folder, `${name.replaceAll('-', '_')}_${line}.${language === 'ts' ? 'mts' : 'py'}`);
        return { guide: name, line, language, text, file };
      }),
  );

/** Writes the programs where they can be run. */
export function writePrograms(programs: readonly ClientProgram[]): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const { file, text } of programs) writeFileSync(file, text);
  const settings = { extends: join(root, 'tsconfig.json'), compilerOptions, include: ['*.mts'] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings));
}

/** The interpreter with the packages that the Python client needs. @throws NotInstalled */
const python = () => pythonWith('python-client', join(pythonClient, 'requirements.txt'));
const pythonEnvironment = { PYTHONPATH: join(pythonClient, 'src'), PYTHONDONTWRITEBYTECODE: '1' };

/** Checks the types of all written programs of a language, strictly. */
export async function checkTypes(language: 'ts' | 'python'): Promise<Run> {
  if (language === 'ts') return runProgram('npx', ['tsc', '--noEmit', '-p', folder], process.env);
  const cache = join(root, 'node_modules/.cache/mypy');
  const args = ['-m', 'mypy', '--strict', '--cache-dir', cache, folder];
  return runProgram(await python(), args, { ...process.env, MYPYPATH: pythonEnvironment.PYTHONPATH });
}

/** Runs a written program, with the variables of a shell. */
export async function runClientProgram({ language, file }: ClientProgram, variables: NodeJS.ProcessEnv): Promise<Run> {
  const env = { ...process.env, ...variables };
  if (language === 'ts') return runProgram('node', [`--conditions=${CONDITION}`, '--import', 'tsx', file], env);
  return runProgram(await python(), [file], { ...env, ...pythonEnvironment });
}
