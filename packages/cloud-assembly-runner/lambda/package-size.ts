import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Deployment package, unzipped (Lambda quotas). */
const MAX_PACKAGE_BYTES = 250 * 1024 * 1024;

/** @throws Error when the function's code exceeds Lambda's quota */
export function checkPackage(folder: string, logicalId: string): void {
  const bytes = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
  if (bytes <= MAX_PACKAGE_BYTES) return;
  throw new Error(`${logicalId}: the code has ${bytes} bytes, Lambda allows ${MAX_PACKAGE_BYTES}`);
}
