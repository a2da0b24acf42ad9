import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrateScopes } from '../../cognito/migrate-scopes';

describe('Base URL of the API', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'migrate-scopes-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  test('replaces the old one in the scopes of stored clients', () => {
    const clients = join(folder, 'app-clients.json');
    migrateScopes(folder, 'http://127.0.0.1:3000');
    writeFileSync(clients, '["http://127.0.0.1:3000/command:read"]');
    migrateScopes(folder, 'http://127.0.0.1:3000');
    expect(readFileSync(clients, 'utf8')).toBe('["http://127.0.0.1:3000/command:read"]');
    migrateScopes(folder, 'http://127.0.0.1:4000');
    expect(readFileSync(clients, 'utf8')).toBe('["http://127.0.0.1:4000/command:read"]');
  });
});
