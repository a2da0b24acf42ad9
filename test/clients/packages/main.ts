import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { FakeService } from '../../../clients/typescript/test/fake-service';
import { endWith, passes, runChecks } from '../run-checks';
import { tryGoModule } from './go';
import { tryPythonPackage } from './python';
import { job, type Trial } from './trial';
import { tryNpmPackage } from './typescript';

const trials: readonly (readonly [title: string, name: string, run: (trial: Trial) => Promise<void>])[] = [
  ['npm package', 'npm', tryNpmPackage],
  ['Python package', 'pypi', tryPythonPackage],
  ['Go module', 'go', tryGoModule],
];

/**
 * Packs the clients as they are published, and tries each in an empty folder, as a partner who installs it.
 * @param words `--out <folder>` keeps what was tried: the tarball for npm in `npm/`, wheel and source distribution in `pypi/`
 * @returns whether all passed
 */
async function run(words: readonly string[]): Promise<boolean> {
  const { values } = parseArgs({ args: [...words], options: { out: { type: 'string' } } });
  const temporary = mkdtempSync(join(tmpdir(), 'client-packages-'));
  const service = await new FakeService().start();
  service.answer = ({ headers }) =>
    headers.authorization?.startsWith('Bearer token-')
      ? { status: 200, body: { success: true, jobs: [job], count: 1 } }
      : { status: 401, body: { error: 'Unauthorized' } };
  const env = { BASE_URL: service.baseUrl, CLIENT_ID: 'client', CLIENT_SECRET: 'secret', API_KEY: 'key' };
  try {
    return await runChecks(
      trials.map(([title, name, run]) => [
        title,
        () => {
          const folder = join(temporary, name);
          const out = join(resolve(values.out ?? join(temporary, 'out')), name);
          for (const path of [folder, out]) mkdirSync(path, { recursive: true });
          return passes(() => run({ folder, out, env }));
        },
      ]),
    );
  } finally {
    await service.stop();
    rmSync(temporary, { recursive: true });
  }
}

endWith(run(process.argv.slice(2)));
