import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readTarget } from '../../bin/smoke/target';

const folder = mkdtempSync(join(tmpdir(), 'smoke-target-'));
const [credentials, caFile] = [join(folder, 'partner.json'), join(folder, 'ca.pem')];
const partner = { clientId: 'client-1', clientSecret: 'the secret', apiKey: 'the key', scopes: [] };
const here = 'http://127.0.0.1:3000';

/** Writes what `npm run partner -- onboard … --json` prints for a stack. */
const givenOnboardedAt = (baseUrl: string) =>
  writeFileSync(credentials, JSON.stringify({ baseUrl, wsUrl: 'ws://b', mqttUrl: 'mqtts://c', partners: [partner] }));

beforeAll(() => {
  process.env['LOCAL_DIR'] = folder;
  writeFileSync(caFile, 'the authority of this machine');
  writeFileSync(join(folder, 'stack.json'), JSON.stringify({ baseUrl: here, caFile, partners: [partner] }));
});
afterAll(() => {
  delete process.env['LOCAL_DIR'];
  rmSync(folder, { recursive: true });
});

test('trusts the certificate authority of the local stack with its credentials', () => {
  givenOnboardedAt(here);
  expect(readTarget({ credentials, without: [] }).ca).toContain('the authority of this machine');
});

test('does not trust it with the credentials of another stack', () => {
  givenOnboardedAt('https://api.example.com');
  expect(readTarget({ credentials, without: [] }).ca ?? []).not.toContain('the authority of this machine');
});
