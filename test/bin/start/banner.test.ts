import { join, resolve } from 'node:path';
import { banner } from '../../../bin/start/banner';
import type { StackFacts } from '../../../bin/start/stack-facts';

const partner = {
  organisationId: 'org-1',
  clientId: 'client-1',
  clientSecret: 'hush-secret',
  apiKey: 'hush-key',
  scopes: [],
  deviceGroups: [{ deviceGroupId: 'group-1', devices: [{ deviceId: 'device-1' }] }],
};
const facts: StackFacts = {
  baseUrl: 'http://127.0.0.1:3000',
  mqttUrl: 'mqtts://127.0.0.1:8883',
  wsUrl: 'ws://127.0.0.1:3001',
  shareBaseUrl: 'http://127.0.0.1:3001',
  docsUrl: 'http://127.0.0.1:3001/docs/',
  caFile: '/ca.pem',
  demoFlightUrl: 'http://127.0.0.1:3001/share/share-1',
  partners: [partner],
};
const options = { folder: resolve('.local'), memory: false, isDefaultFolder: true };

describe('The banner', () => {
  test('begins with the drone to look at, then the docs, and is less than a screen', () => {
    const lines = banner(facts, options).trim().split('\n');
    expect(lines[0]).toBe('A drone is flying: open http://127.0.0.1:3001/share/share-1');
    expect(lines[2]).toMatch(/^ {2}Docs +http:\/\/127\.0\.0\.1:3001\/docs\/$/);
    expect(lines.length).toBeLessThan(24);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
  });

  test('has three commands that work as they stand, and no secret', () => {
    const text = banner(facts, options);
    expect(text).toContain('\n  npm run demo\n  . .local/demo.env\n  curl "$BASE_URL/v3/resources"');
    expect(text).toMatch(/Credentials +\.local\/stack\.json\n/);
    expect(text).not.toContain('hush');
  });

  test('says what a folder elsewhere changes in the commands', () => {
    const text = banner(facts, { ...options, folder: '/tmp/else', isDefaultFolder: false, memory: true });
    expect(text).toContain('\n  LOCAL_DIR=/tmp/else npm run demo\n  . /tmp/else/demo.env\n');
    expect(text).toContain('$(LOCAL_DIR=/tmp/else npm run -s token)');
    expect(text).toMatch(/Credentials +\/tmp\/else\/stack\.json\n +Data +in memory, deleted at stop\n/);
  });

  test('says why no drone is flying, and leaves out channels that are not there', () => {
    const without = { ...facts, demoFlightUrl: null, wsUrl: null, mqttUrl: null, shareBaseUrl: null, docsUrl: null };
    expect(banner(without, options).trim()).toMatch(/^Ready\. No drone is flying: there is no fleet\.\n/);
    expect(banner(without, { ...options, noFlight: 'no answer' })).toContain('No drone is flying: no answer.\n');
    expect(banner(without, options)).not.toMatch(/null|MQTT|WebSocket|Docs/);
  });

  test('sources a file of the working folder by a path with a slash', () => {
    const text = banner(facts, { ...options, folder: process.cwd() });
    expect(text).toContain('  . ./demo.env\n');
    expect(text).toContain(join(process.cwd()));
  });
});
