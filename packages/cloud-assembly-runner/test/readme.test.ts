import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { createAccount } from '../account';
import { createAwsEndpoint } from '../aws-endpoint';
import { noMeter } from '../billing/meter';
import { ignored } from '../cloudformation/ignored-types';
import { noFaults } from '../faults';
import { faultSettings } from '../faults/faults-file';
import { flags } from '../stack/command-line';

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

describe('README.md', () => {
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
