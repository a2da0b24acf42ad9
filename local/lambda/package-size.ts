import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Contents of a deployment package, unzipped (Lambda quotas). */
const MAX_PACKAGE_BYTES = 250 * 1024 * 1024;

/** Throws when the code of a function is more than Lambda takes. */
export function checkPackage(folder: string, logicalId: string): void {
  const bytes = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
  if (bytes <= MAX_PACKAGE_BYTES) return;
  throw new Error(`${logicalId}: its code has ${bytes} bytes, Lambda takes ${MAX_PACKAGE_BYTES}`);
}
