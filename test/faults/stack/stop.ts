import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import stopStack from '../../api/stack/stop';

/** Stops the stack and deletes the faults file. */
export default async function stop(): Promise<void> {
  const { FAULTS_FILE } = process.env;
  if (FAULTS_FILE) rmSync(dirname(FAULTS_FILE), { recursive: true });
  await stopStack();
}
