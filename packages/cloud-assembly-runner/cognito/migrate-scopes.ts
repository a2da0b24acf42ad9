import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../data-folder/atomic-file';

/**
 * Rewrites the scopes of stored app clients, which begin with the API's base URL, when the stack starts on another
 * port, so that clients still get tokens. Call it before the clients are read.
 */
export function migrateScopes(dataFolder: string, baseUrl: string): void {
  const baseUrlFile = join(dataFolder, 'base-url');
  const clientsFile = join(dataFolder, 'app-clients.json');
  const previous = existsSync(baseUrlFile) ? readFileSync(baseUrlFile, 'utf8') : baseUrl;
  if (previous !== baseUrl && existsSync(clientsFile)) {
    const migrated = readFileSync(clientsFile, 'utf8').replaceAll(`"${previous}/`, `"${baseUrl}/`);
    replaceFile(clientsFile, migrated);
  }
  if (previous !== baseUrl || !existsSync(baseUrlFile)) replaceFile(baseUrlFile, baseUrl);
}
