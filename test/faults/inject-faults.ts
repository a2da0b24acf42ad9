import { renameSync, writeFileSync, readFileSync } from 'node:fs';
import type { FaultsFile } from 'cloud-assembly-runner';
import { partnersShape } from '../../bin/start/stack-facts';
import { stackFile } from '../api/stack/facts';

/** Sets the faults of the stack under test; `{}` ends all. */
export function injectFaults(faults: FaultsFile): void {
  const { FAULTS_FILE } = process.env;
  if (!FAULTS_FILE) throw new Error('FAULTS_FILE is not set: jest starts a stack with --faults and sets it');
  const draft = `${FAULTS_FILE}.new`;
  writeFileSync(draft, JSON.stringify(faults));
  renameSync(draft, FAULTS_FILE);
}

afterEach(() => injectFaults({}));

/** Credentials of the demo partners of the stack under test. */
export const readStackFile = () => partnersShape.parse(JSON.parse(readFileSync(stackFile(), 'utf8'))).partners;
