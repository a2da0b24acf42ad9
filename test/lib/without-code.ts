/**
 * Imported first by tests that look at how functions are deployed and not at their code: it stands in for the bundling
 * of all of it, which takes longer than the rest of the synthesis.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

jest.mock('../../lib/bundle', () => ({
  bundle(entries: readonly string[], folder: string, sources = 'lambdas') {
    for (const entry of entries) {
      mkdirSync(join(folder, entry), { recursive: true });
      writeFileSync(join(folder, entry, 'index.js'), `// ${sources}/${entry}`);
    }
  },
}));
