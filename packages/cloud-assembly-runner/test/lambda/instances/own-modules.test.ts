import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startFunctions } from '../inline-functions';

const PACKAGE = 'beside';

/** Starts a function of this source, with a package in a folder above it. */
async function startBeside(handler: string) {
  const functions = await startFunctions({ reaching: `exports.handler = async () => ${handler};` });
  const beside = join(functions.folder, 'node_modules', PACKAGE);
  mkdirSync(beside, { recursive: true });
  writeFileSync(join(beside, 'index.js'), 'module.exports = "found";');
  return functions;
}

describe('The code of a function', () => {
  test('finds the modules of Node.js and its own files', async () => {
    const { lambda, remove } = await startBeside(
      "[typeof require('fs').readFileSync, typeof require.resolve('./index.js')]",
    );
    await expect(lambda.invoke('reaching', {})).resolves.toEqual(['function', 'string']);
    await remove();
  });

  test('finds no package above it, where a developer has some and an account has none', async () => {
    const { lambda, remove } = await startBeside(`require("${PACKAGE}")`);
    await expect(lambda.invoke('reaching', {})).rejects.toThrow(
      `Cannot find module '${PACKAGE}': it is not part of the function's code`,
    );
    await remove();
  });
});
