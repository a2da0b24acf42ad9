import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '../..');
const page = readFileSync(join(root, 'docs/trust.md'), 'utf8');

/** Tests named on the page: a file, and after a colon the beginning of a test title in it. */
const named = [...page.matchAll(/\| `((?:packages\/[\w-]+\/)?test\/[\w./-]+\.test\.ts)`(?:: ([^|]+?))? +\|/g)].map(
  ([, file = '', name]) => [file, name ?? ''] as const,
);

test('docs/trust.md names tests', () => {
  expect(named.length).toBeGreaterThan(15);
});

test.each(named)('%s has the test «%s»', (file, name) => {
  const text = readFileSync(join(root, file), 'utf8').replaceAll("\\'", "'");
  expect(text).toContain(name);
  expect(text).toMatch(/\b(test|it)\b/);
});
