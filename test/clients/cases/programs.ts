import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../../outsiders/command';
import { pythonWith } from '../../outsiders/install/python';

const root = join(__dirname, '../../..');
const folder = join(__dirname, 'programs');
const goClient = join(root, 'clients/go');
const pythonClient = join(root, 'clients/python');

/** How the program of a language is started; what a case calls is its last argument. */
export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Installs and builds what the program of a language needs. */
export const prepare: Readonly<Record<'TypeScript' | 'Python' | 'Go', () => Promise<Program>>> = {
  TypeScript: () =>
    Promise.resolve({
      command: 'node',
      // The client as its source, not as it was last built.
      args: ['--conditions=drone-mission-source', '--import', 'tsx', join(folder, 'typescript.mts')],
    }),
  Python: async () => ({
    command: await pythonWith('python-client', join(pythonClient, 'requirements.txt')),
    args: [join(folder, 'python.py')],
    env: { PYTHONPATH: join(pythonClient, 'src'), PYTHONDONTWRITEBYTECODE: '1' },
  }),
  Go: async () => {
    const built = join(root, 'node_modules/.cache/client-cases');
    mkdirSync(built, { recursive: true });
    cpSync(join(folder, 'go/main.go'), join(built, 'main.go'));
    for (const file of ['go.mod', 'go.sum']) cpSync(join(goClient, file), join(built, file));
    const own = ['-module', 'example.com/cases', '-require', 'drone-mission-api/clients/go@v0.0.0'];
    await runCommand('go', ['mod', 'edit', ...own, '-replace', `drone-mission-api/clients/go=${goClient}`], {
      cwd: built,
    });
    await runCommand('go', ['build', '-mod=mod', '-o', 'case', '.'], { cwd: built });
    return { command: join(built, 'case'), args: [] };
  },
};
