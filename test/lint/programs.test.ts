import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript';

const root = join(__dirname, '../..');
const fail = ({ messageText }: ts.Diagnostic): never => {
  throw new Error(ts.flattenDiagnosticMessageText(messageText, ' '));
};
const read = (path: string) =>
  ts.getParsedCommandLineOfConfigFile(path, {}, { ...ts.sys, onUnRecoverableConfigFileDiagnostic: fail });

/** Settings of each program, by the path of its file. */
const programs = new Map(
  read(join(root, 'tsconfig.json'))?.projectReferences?.map((reference) => {
    const path = ts.resolveProjectReferencePath(reference);
    return [relative(root, path), read(path)];
  }),
);
const tracked = execFileSync(
  'git',
  ['ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate', '--', '*.ts', '*.mts', '*.cts', '*.tsx'],
  {
    cwd: root,
    encoding: 'utf8',
  },
);
const files = tracked
  .trim()
  .split('\n')
  .filter((file) => existsSync(join(root, file)));

test('each file of TypeScript is in exactly one program', () => {
  const holders = new Map(files.map((file) => [file, [] as string[]]));
  for (const [path, settings] of programs) {
    for (const file of settings?.fileNames ?? []) holders.get(relative(root, file))?.push(path);
  }
  expect([...holders].filter(([, paths]) => paths.length !== 1)).toEqual([]);
});

test.each([...programs.keys()])('%s is checked after the programs that it reads', (path) => {
  const paths = [...programs.keys()];
  const references = programs.get(path)?.projectReferences ?? [];
  const later = paths.slice(paths.indexOf(path));
  expect(
    references
      .map((reference) => relative(root, ts.resolveProjectReferencePath(reference)))
      .filter((read) => later.includes(read)),
  ).toEqual([]);
});

test.each([...programs])('%s is as strict as the others', (_, settings) => {
  expect(settings?.options).toMatchObject({
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    noImplicitOverride: true,
    noFallthroughCasesInSwitch: true,
  });
});
