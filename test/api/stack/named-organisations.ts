import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cast, type OrganisationName } from './organisations';

const names = Object.keys(cast) as OrganisationName[];
const tests = join(__dirname, '../..');

/**
 * The test organisations that these test files name, or modules that they import: only these are onboarded, since to
 * onboard all takes half a minute.
 * @param files absolute paths
 * @returns one at least, since onboarding also tells the addresses of a remote stack
 */
export function namedOrganisations(files: readonly string[]): readonly OrganisationName[] {
  const texts = new Map<string, string>();
  const read = (file: string): void => {
    if (texts.has(file) || !existsSync(file)) return;
    const text = readFileSync(file, 'utf8');
    texts.set(file, text);
    const imported = Array.from(text.matchAll(/from '(\.{1,2}\/[^']+)'/g), ([, path = '']) =>
      join(dirname(file), path),
    );
    for (const path of imported) if (path.startsWith(tests)) read(`${path}.ts`);
  };
  files.forEach(read);
  texts.delete(join(__dirname, 'organisations.ts'));
  const quoted = new Set([...texts.values()].flatMap((text) => text.match(/(?<=')[a-z-]+(?=')/g) ?? []));
  const named = names.filter((name) => quoted.has(name));
  return named.length > 0 ? named : ['stranger'];
}
