import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rules } from '../../packages/platform-kit/conformance/judge';

/** Without the breaks of its lines. */
const page = readFileSync(join(__dirname, '../../docs/platform.md'), 'utf8').replaceAll(/\s+/g, ' ');

test.each(Object.entries(rules))('the sentence of the rule %s is in docs/platform.md', (_, sentence) => {
  expect(page).toContain(sentence);
});
