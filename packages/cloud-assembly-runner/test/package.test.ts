import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join, relative, resolve } from 'node:path';

const root = resolve(__dirname, '..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const declared = JSON.parse(read('package.json')) as Record<
  'dependencies' | 'devDependencies' | 'optionalDependencies' | 'exports',
  Record<string, string>
>;

const files = readdirSync(root, { recursive: true })
  .map(String)
  .filter((name) => !name.startsWith('node_modules'));
const sources = files.filter((name) => name.endsWith('.ts') && !name.startsWith('test/'));
const tests = files.filter((name) => name.endsWith('.ts') && name.startsWith('test/'));

/** Imports of a file: static, dynamic, and by `require` or `require.resolve`. */
function importsOf(file: string): string[] {
  const forms = /(?:^(?:import|export|\}) (?:.* )?from |^import |\bimport\(|\brequire(?:\.resolve)?\()'([^'\n]+)'/gm;
  return [...read(file).matchAll(forms)].map(([, name = '']) => name);
}

/** Imports of anything but the package itself, Node.js and the given packages, each with its file. */
function undeclaredImports(of: readonly string[], packages: readonly string[]): string[] {
  const isUndeclared = (file: string, name: string) => {
    if (name.startsWith('.')) return relative(root, resolve(root, file, '..', name)).startsWith('..');
    const packageName = name.split('/', name.startsWith('@') ? 2 : 1).join('/');
    return !packages.includes(packageName) && !builtinModules.includes(name.replace(/^node:/, ''));
  };
  return of.flatMap((file) =>
    importsOf(file)
      .filter((name) => isUndeclared(file, name))
      .map((name) => `${file}: ${name}`),
  );
}

const runtime = Object.keys({ ...declared.dependencies, ...declared.optionalDependencies });

describe('The package', () => {
  test('has sources and tests', () => {
    expect(sources.length).toBeGreaterThan(100);
    expect(tests.length).toBeGreaterThan(50);
    expect(sources.flatMap(importsOf)).toEqual(expect.arrayContaining(['zod', 'node:fs', '../service', 'tsx/cjs']));
  });

  test('imports only itself, Node.js and its dependencies', () => {
    expect(undeclaredImports(sources, runtime)).toEqual([]);
  });

  test('declares all dependencies of its tests', () => {
    expect(undeclaredImports(tests, [...runtime, ...Object.keys(declared.devDependencies)])).toEqual([]);
  });

  test('imports all of its dependencies', () => {
    const imported = new Set(
      sources.flatMap(importsOf).map((name) => name.split('/', name.startsWith('@') ? 2 : 1).join('/')),
    );
    // The database engine is found by the platform.
    expect(runtime.filter((name) => !imported.has(name))).toEqual(['@dynoxide/linux-x64']);
  });

  test('contains no terms of the app that it runs', () => {
    const appTerms = /.*(?:drone|\bjob|share[ -]?link|partner|fleet|\bmission).*/gi;
    const lines = [...sources, 'README.md', 'package.json'].flatMap((file) =>
      [...read(file).matchAll(appTerms)].map(([line]) => `${file}: ${line.trim()}`),
    );
    expect(lines).toEqual([]);
  });

  test('exports files that exist', () => {
    expect(Object.values(declared.exports).filter((file) => !existsSync(join(root, file)))).toEqual([]);
  });
});
