import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What `runtime.mjs` must leave as jest has it. */

const folder = mkdtempSync(join(tmpdir(), 'drone-mission-runtime-'));
// Modules of packages are loaded as they are; others are transformed first.
const packages = join(folder, 'node_modules');
mkdirSync(packages);
afterAll(() => {
  rmSync(folder, { recursive: true });
});

let file = '';
let count = 0;

/**
 * Loads a CommonJS module with this source, as a test file loads the modules of a package: each from a file of its own,
 * `file`, which jest reads once.
 */
function load(source: string): unknown {
  file = join(packages, `module-${(count += 1)}.cjs`);
  writeFileSync(file, source);
  return loadAgain();
}

function loadAgain(): unknown {
  jest.resetModules();
  return jest.requireActual(file);
}

test.each([
  ['has the global scope of its test file', 'module.exports = globalThis', globalThis],
  ['knows its folder', 'module.exports = __dirname', packages],
  ['may end with a comment', 'module.exports = 1 // one', 1],
  ['may return early', 'module.exports = 2; return; module.exports = 3', 2],
])('a module %s', (_, source, exported) => {
  expect(load(source)).toBe(exported);
});

test('a module is evaluated again once modules are reset', () => {
  expect(load('module.exports = {}')).not.toBe(loadAgain());
});

test('a module that can not be parsed fails as jest explains it', () => {
  let stack = '';
  try {
    load('exports.broken = ;');
  } catch (error) {
    ({ stack = '' } = error as Error);
  }
  expect(stack).toContain('Jest encountered an unexpected token');
  expect(stack).toContain(`${file}:1`);
});

test('a module that imports at run time is answered by jest', async () => {
  const { imported } = load('exports.imported = import("node:os")') as { imported: Promise<unknown> };
  await expect(imported).rejects.toThrow('--experimental-vm-modules');
});

test('what followed the asynchronous calls of a test file ends with the file', () => {
  const program = `import Runtime from 'jest-runtime';
    Runtime.prototype.teardown = () => undefined;
    const { 'module.exports': KeptScripts } = await import('./runtime.mjs');
    const { AsyncLocalStorage } = process.getBuiltinModule('async_hooks');
    const storage = new AsyncLocalStorage();
    storage.enterWith('followed');
    const before = storage.getStore();
    KeptScripts.prototype.teardown.call({});
    console.log(before, storage.getStore());`;
  const printed = execFileSync(process.execPath, ['--input-type=module', '-e', program], { cwd: __dirname });
  expect(printed.toString()).toBe('followed undefined\n');
});
