import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from './kept-file';

/**
 * Scopes of stored app clients begin with the base address of the API. When the stack comes back on another port, they
 * follow, so that its partners still get tokens. To be called before the clients are read.
 */
export function followAddress(dataFolder: string, baseUrl: string): void {
  const note = join(dataFolder, 'base-url');
  const clients = join(dataFolder, 'app-clients.json');
  const before = existsSync(note) ? readFileSync(note, 'utf8') : baseUrl;
  if (before !== baseUrl && existsSync(clients)) {
    const moved = readFileSync(clients, 'utf8').replaceAll(`"${before}/`, `"${baseUrl}/`);
    replaceFile(clients, moved);
  }
  if (before !== baseUrl || !existsSync(note)) replaceFile(note, baseUrl);
}
