import { cpSync, existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** Where an assembly has files with a hash, as for the assets that the CDK stages itself. */
export const assetFolder = (assembly: string, hash: string) => join(assembly, `asset.${hash}`);

/**
 * Copies built files into an assembly. They appear there at once, so that what is there is complete. Two processes may
 * add the same files at the same time.
 */
export function addBuilt(assembly: string, hash: string, built: string): void {
  const folder = assetFolder(assembly, hash);
  const temporary = `${folder}.copying-${process.pid}`;
  rmSync(temporary, { recursive: true, force: true });
  try {
    cpSync(built, temporary, { recursive: true });
    renameSync(temporary, folder);
  } catch (error) {
    // Another process was faster: its files are the same.
    if (!existsSync(folder)) throw error;
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}
