import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEMO_ENVIRONMENT, demoEnvironment, writeDemoEnvironment } from '../../../bin/start/demo-environment';

const partner = {
  organisationId: 'o',
  clientId: 'c',
  clientSecret: "s'$(false)+",
  apiKey: 'k',
  scopes: [],
  deviceGroups: [{ deviceGroupId: 'group-1', devices: [{ deviceId: 'device-1' }, { deviceId: 'device-2' }] }],
};
const facts = {
  baseUrl: 'http://127.0.0.1:1',
  wsUrl: 'ws://127.0.0.1:2',
  mqttUrl: 'mqtts://127.0.0.1:3',
  caFile: '/a b/ca.pem',
  shareBaseUrl: null,
  docsUrl: null,
  demoFlightUrl: null,
  partners: [partner],
};

test('the environment of the guides has the demo partner of the stack, unchanged by the shell', () => {
  const folder = mkdtempSync(join(tmpdir(), 'demo-environment-'));
  writeDemoEnvironment(folder, facts);
  const file = join(folder, DEMO_ENVIRONMENT);
  const printed = execFileSync('bash', ['--norc', '-c', `. ${file}; env -0`], { env: {} }).toString();
  expect(Object.fromEntries(printed.split('\0').map((line) => line.split(/=(.*)/s).slice(0, 2)))).toMatchObject({
    BASE_URL: facts.baseUrl,
    WS_URL: facts.wsUrl,
    MQTT_URL: facts.mqttUrl,
    CA_FILE: facts.caFile,
    MQTT_HOST: '127.0.0.1',
    MQTT_PORT: '3',
    CLIENT_ID: 'c',
    CLIENT_SECRET: partner.clientSecret,
    API_KEY: 'k',
    DEVICE_GROUP_ID: 'group-1',
    DEVICE_ID: 'device-1',
  });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  rmSync(folder, { recursive: true });
});

test('without a partner there is no environment', () => {
  expect(demoEnvironment({ ...facts, partners: [] })).toBe('');
});
