import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ENDING } from '../../lib/functions/bundle';

const lambdas = join(__dirname, '../../lambdas');
const files = readdirSync(lambdas, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
const isEntryPoint = (file: string) => file.endsWith(ENDING);

/** Names that a file exports; lists and re-exports count as `*`. */
function exportsOf(file: string): string[] {
  const text = readFileSync(join(lambdas, file), 'utf8');
  const declared = [...text.matchAll(/^export (?:async )?(?:const|function|class|interface|type) (\w+)/gm)];
  return [...declared.map(([, name = '']) => name), ...(/^export (?:\{|\*|default)/m.test(text) ? ['*'] : [])];
}

test('lambdas has entry points and shared files', () => {
  expect(files.filter(isEntryPoint).length).toBeGreaterThan(25);
  expect(files.filter((file) => !isEntryPoint(file)).length).toBeGreaterThan(25);
});

test.each(files.filter(isEntryPoint))('%s is an entry point and exports only a handler', (file) => {
  expect(exportsOf(file)).toEqual(['handler']);
});

test.each(files.filter((file) => !isEntryPoint(file)))(
  '%s is shared by entry points and exports no handler',
  (file) => {
    expect(exportsOf(file)).not.toContain('handler');
  },
);
