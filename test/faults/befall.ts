import { renameSync, writeFileSync } from 'node:fs';
import type { FaultsFile } from '../../local/faults-file';

/** From now on the stack has these faults and no others; `{}` ends all. */
export function befall(faults: FaultsFile): void {
  const { FAULTS_FILE } = process.env;
  if (!FAULTS_FILE) throw new Error('FAULTS_FILE is not set: jest starts a stack with --faults and sets it');
  const draft = `${FAULTS_FILE}.new`;
  writeFileSync(draft, JSON.stringify(faults));
  renameSync(draft, FAULTS_FILE);
}

afterEach(() => befall({}));
