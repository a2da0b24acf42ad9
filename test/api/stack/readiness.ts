import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { replaceFile } from 'cloud-assembly-runner/data-folder/atomic-file';

/** The test organisations' credentials. It is there once the stack under test can be tested. */
export function organisationsFile(): string {
  const file = process.env['ORGANISATIONS_FILE'];
  if (!file) throw new Error('ORGANISATIONS_FILE is not set: jest onboards the organisations and sets it');
  return file;
}

/** Why there will be no organisations. */
const failureFile = () => `${organisationsFile()}.failure`;

export const tellOnboarded = (organisations: string) => replaceFile(organisationsFile(), organisations);

export const tellFailed = (error: unknown) => replaceFile(failureFile(), String(error));

/** Waits for what the process that starts the stack tells. @throws Error when it has failed */
export async function untilOnboarded(): Promise<void> {
  while (!existsSync(organisationsFile())) {
    if (existsSync(failureFile())) throw new Error(readFileSync(failureFile(), 'utf8'));
    await pause(100);
  }
}
