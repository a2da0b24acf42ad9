import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import stopStack from '../../api/stack/stop';

/** Leaves nothing of what `start` made. */
export default async function stop(): Promise<void> {
  const { FAULTS_FILE } = process.env;
  if (FAULTS_FILE) rmSync(dirname(FAULTS_FILE), { recursive: true });
  await stopStack();
}
