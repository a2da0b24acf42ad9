import type { ReadyStack } from 'cloud-assembly-runner';
import fs, { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addDemoPartners } from '../../../bin/start/demo-partners';

const partner = { organisationId: 'o', clientId: 'c', clientSecret: 's', apiKey: 'k', scopes: [], deviceGroups: [] };
const { signal } = new AbortController();

describe('Demo partners', () => {
  let folder: string;
  let stack: ReadyStack;
  const onboard = jest.fn(() => Promise.resolve([partner]));
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'demo-partners-'));
    const access = {
      endpointUrl: '',
      region: '',
      stackName: '',
      accessKeyId: '',
      secretAccessKey: '',
      sessionToken: '',
    };
    const outputs = { WebSocketUrl: 'ws://127.0.0.1:1', Other: 'x' };
    stack = { baseUrl: 'http://127.0.0.1:1', mqttUrl: null, caFile: '', outputs, access, dataFolder: folder };
    onboard.mockClear();
  });
  afterEach(() => {
    jest.restoreAllMocks();
    rmSync(folder, { recursive: true });
  });
  const file = () => join(folder, 'partners.json');

  test('are onboarded at the first start and kept for the next', async () => {
    const facts = { wsUrl: 'ws://127.0.0.1:1', shareBaseUrl: null, docsUrl: null, partners: [partner] };
    expect(await addDemoPartners(stack, signal, onboard)).toEqual(facts);
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    expect(await addDemoPartners(stack, signal, onboard)).toEqual(facts);
    expect(onboard).toHaveBeenCalledTimes(1);
  });

  test('are not onboarded again when their file is damaged, which is named with the remedy', async () => {
    writeFileSync(file(), '{"partners":[');
    const message = `${file()}, line 1 can't be read: put back a copy of it, or remove ${folder} to start afresh`;
    await expect(addDemoPartners(stack, signal, onboard)).rejects.toThrow(message);
    expect(onboard).not.toHaveBeenCalled();
    expect(readFileSync(file(), 'utf8')).toBe('{"partners":[');
  });

  test('stop the start in one line when the disk is full', async () => {
    jest.spyOn(fs, 'writeFileSync').mockImplementation(() => {
      throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    });
    const message = `${file()}: no space left on the device; free some and start again`;
    await expect(addDemoPartners(stack, signal, onboard)).rejects.toThrow(message);
  });
});
