import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What `runtime.mjs` must leave as jest has it. */

const folder = mkdtempSync(join(tmpdir(), 'drone-mission-runtime-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** Loads a CommonJS module with this source, as a test file loads its modules. */
function load(source: string): unknown {
  const file = join(folder, 'module.cjs');
  writeFileSync(file, source);
  jest.resetModules();
  return jest.requireActual(file);
}

test.each([
  ['has the global scope of its test file', 'module.exports = globalThis', globalThis],
  ['knows its name', 'module.exports = __filename', join(folder, 'module.cjs')],
  ['may end with a comment', 'module.exports = 1 // one', 1],
  ['may begin as a program', '#!/usr/bin/env node\nmodule.exports = 2', 2],
])('a module %s', (_, source, exported) => {
  expect(load(source)).toBe(exported);
});

test('a module is evaluated again once modules are reset', () => {
  expect(load('module.exports = {}')).not.toBe(load('module.exports = {}'));
});

test('a module that can not be parsed fails with its place', () => {
  expect(() => load('exports.broken = ;')).toThrow(/module\.cjs:1/);
});

test('a module that imports at run time gets what it imports', async () => {
  const { imported } = load('exports.imported = import("node:os")') as { imported: Promise<typeof import('node:os')> };
  expect((await imported).EOL).toBe('\n');
});
