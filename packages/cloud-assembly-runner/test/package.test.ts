import { existsSync, readdirSync, readFileSync, mkdtempSync, rmSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join, relative, resolve } from 'node:path';
import { tmpdir } from 'node:os';
import * as z from 'zod';
import { createAccount } from '../account';
import { createAwsEndpoint } from '../aws-endpoint';
import { noMeter } from '../billing/meter';
import { ignored } from '../cloudformation/deploy';
import { noFaults } from '../faults';
import { faultSettings } from '../faults/faults-file';
import { flags } from '../stack/command-line';

describe('The package', () => {
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

describe('README.md', () => {
  const root = join(__dirname, '..');
  const page = readFileSync(join(root, 'README.md'), 'utf8');

  /** Rows of the tables whose first cell is a resource type. */
  const rows = [...page.matchAll(/^\| `((?:AWS|Custom)::[\w:]+)` +\| (.+) \|$/gm)].map(([, type = '', rest = '']) => ({
    type,
    cells: rest.split(' | ').map((cell) => cell.trim()),
  }));
  const supported = rows.filter(({ cells }) => cells.length === 2);
  const explained = rows.filter(({ cells }) => cells.length === 1);

  /** The types that services support, from an account that is not started. */
  function typesOfServices(): string[] {
    const dataFolder = mkdtempSync(join(tmpdir(), 'readme-'));
    try {
      const { services } = createAccount({
        assemblyFolder: dataFolder,
        dataFolder,
        logFile: join(dataFolder, 'log'),
        databaseFile: '',
        port: 0,
        identityPort: 0,
        wsPort: 0,
        mqttPort: 0,
        instances: 1,
        endpoint: createAwsEndpoint(),
        faults: noFaults,
        meter: noMeter,
        engineUrl: 'http://127.0.0.1:1',
        certificate: { caFile: '', key: '', cert: '' },
      });
      return services.flatMap(({ types }) => types);
    } finally {
      rmSync(dataFolder, { recursive: true });
    }
  }

  test('has a row for each supported resource type, in order', () => {
    expect(supported.map(({ type }) => type)).toEqual([...typesOfServices()].sort());
  });

  test('names the folder that implements each of them', () => {
    const isIn = (folder: string, type: string) => {
      const path = join(root, folder.replaceAll('`', ''));
      const names = existsSync(path) ? readdirSync(path).filter((name) => name.endsWith('.ts')) : [];
      return names.some((name) => readFileSync(join(path, name), 'utf8').includes(`'${type}'`));
    };
    expect(supported.filter(({ type, cells: [folder = ''] }) => !isIn(folder, type))).toEqual([]);
  });

  test('has a row for each ignored resource type, with the same reason', () => {
    expect(Object.fromEntries(explained.map(({ type, cells: [reason] }) => [type, reason]))).toEqual(ignored);
  });

  test('names every flag', () => {
    expect(Object.keys(flags).filter((flag) => !page.includes(`\`--${flag}\``))).toEqual([]);
  });

  test('has each field of the faults file', () => {
    const fieldsOf = (schema: z.ZodType, path: readonly string[]): string[] => {
      if (schema instanceof z.ZodDefault || schema instanceof z.ZodOptional)
        return fieldsOf(schema.unwrap() as z.ZodType, path);
      if (!(schema instanceof z.ZodObject)) return [path.join('.')];
      return Object.entries(schema.shape as Record<string, z.ZodType>).flatMap(([name, one]) =>
        fieldsOf(one, [...path, name]),
      );
    };
    const [, section = ''] = /^\| field ([^]+?)\n\n/m.exec(page) ?? [];
    const documented = [...section.matchAll(/`([a-zA-Z]+(?:\.[a-zA-Z]+)+)`/g)].map(([, field]) => field);
    expect(documented.sort()).toEqual(fieldsOf(faultSettings, []).sort());
  });

  test('names files and folders that exist', () => {
    const named = [...page.matchAll(/`([\w-]+(?:\/[\w-]+)*(?:\.ts|\/))`/g)].map(([, path = '']) => path);
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });
});
