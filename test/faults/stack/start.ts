import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startHere } from '../../api/stack/start';

/** Starts a separate stack whose faults are in FAULTS_FILE: none at first. */
export default async function start(): Promise<void> {
  const file = join(mkdtempSync(join(tmpdir(), 'drone-mission-faults-')), 'faults.json');
  writeFileSync(file, '{}');
  process.env['FAULTS_FILE'] = file;
  await startHere('--faults', file);
}
