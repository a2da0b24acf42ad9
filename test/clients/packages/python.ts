import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../../outsiders/processes';
import { pythonWith, withAttempts } from '../../outsiders/install';
import { expectFiles, expectJobs, filesOfTarball, root, version, type Trial } from './trial';

const client = join(root, 'clients/python');
const requirements = join(client, 'requirements.txt');

const LIST_FILES = "import sys, zipfile; print(*zipfile.ZipFile(sys.argv[1]).namelist(), sep='\\n')";
const LIST_JOBS = `from importlib.metadata import version
from drone_mission_client import Client

assert version("drone-mission-client") == "${version}", version("drone-mission-client")
with Client.from_environment() as client:
    for job in client.jobs.list():
        print(job["jobId"], job["name"])
`;

/**
 * Builds wheel and source distribution, and installs the wheel into a virtual environment.
 * @throws Error that says what is wrong
 */
export async function tryPythonPackage(trial: Trial): Promise<void> {
  const { folder, out } = trial;
  const builder = await pythonWith('python-client', requirements);
  await runCommand(builder, ['-m', 'hatchling', 'build', '--directory', out], { cwd: client });
  const named = `drone_mission_client-${version}`;
  const [wheelName, sdistName] = [`${named}-py3-none-any.whl`, `${named}.tar.gz`];
  assert.deepEqual(readdirSync(out).sort(), [wheelName, sdistName].sort());
  const [wheel, sdist] = [join(out, wheelName), join(out, sdistName)];

  const { stdout } = await runCommand(builder, ['-c', LIST_FILES, wheel]);
  const info = `${named}.dist-info`;
  expectFiles(
    wheelName,
    stdout.trim().split('\n'),
    /^drone_mission_client(\/\w+)+\.py$|\/py\.typed$|\.dist-info\/(METADATA|RECORD|WHEEL|licenses\/LICENSE)$/,
    ['drone_mission_client/__init__.py', 'drone_mission_client/py.typed', `${info}/licenses/LICENSE`],
  );
  // hatchling puts the repository's .gitignore into it.
  const atRoot =
    /^(src\/drone_mission_client(\/\w+)+\.py|src\/drone_mission_client\/py\.typed|[A-Z-]+(\.md)?|pyproject\.toml|\.gitignore)$/;
  expectFiles(sdistName, await filesOfTarball(sdist), atRoot, ['LICENSE', 'README.md', 'PKG-INFO', 'pyproject.toml']);

  // Whoever builds from the source distribution gets the same wheel.
  const build = ['-m', 'pip', 'wheel', '--quiet', '--no-deps', '--no-build-isolation', '--no-index', sdist];
  await runCommand(builder, build, { cwd: folder });
  assert.ok(readFileSync(wheel).equals(readFileSync(join(folder, wheelName))), `${sdistName} builds another wheel`);

  await runCommand('python3', ['-m', 'venv', 'venv'], { cwd: folder });
  const python = join(folder, 'venv/bin/python');
  const install = [
    '-m',
    'pip',
    'install',
    '--quiet',
    '--disable-pip-version-check',
    '--constraint',
    requirements,
    wheel,
  ];
  await withAttempts('installing the wheel', () => runCommand(python, install, { cwd: folder }));
  writeFileSync(join(folder, 'program.py'), LIST_JOBS);
  await expectJobs(python, ['program.py'], trial);
}
