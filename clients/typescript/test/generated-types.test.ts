import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

// It starts a compiler.
jest.setTimeout(120_000);

test('the types are those of the documents', async () => {
  const check = ['--import', 'tsx', 'generate-types.ts', '--check'];
  await promisify(execFile)(process.execPath, check, { cwd: join(__dirname, '..') });
});
