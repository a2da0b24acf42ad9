import { join } from 'node:path';
import { hashOfFiles, isFolderOrSource } from './hash-of-files';

const root = join(__dirname, '../..');

/** What determines bundles; the lock file stands for the packages. */
const inputs = [
  'contract',
  'data',
  'domain',
  'lambdas',
  'packages/simulator',
  'lib/functions/bundle.ts',
  'lib/functions/bundled',
  'package-lock.json',
];
/**
 * Hash of what bundles are built from, as it is now.
 * @param project folder of the project
 */
export const hashOfSources = (project = root): string => hashOfFiles(project, inputs, isFolderOrSource);
