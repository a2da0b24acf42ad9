import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startHere } from '../../api/stack/start';

/** How long five minutes of an alarm's period last in the stack under test. */
export const ALARM_PERIOD_MS = 3000;

/** Starts a separate stack whose faults are in FAULTS_FILE: none at first. Its alarms take seconds for five minutes. */
export default async function start(): Promise<void> {
  const file = join(mkdtempSync(join(tmpdir(), 'drone-mission-faults-')), 'faults.json');
  writeFileSync(file, '{}');
  process.env['FAULTS_FILE'] = file;
  await startHere('--faults', file, '--alarm-period', String(ALARM_PERIOD_MS));
}
