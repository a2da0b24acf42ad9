import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keptPort } from '../../stack/kept-port';
import { assertFree, portsFrom } from '../../stack/ports';

describe('The port of the AWS APIs', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kept-port-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const listen = async (port: number) => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    return () => new Promise((resolve) => server.close(resolve));
  };

  test('is that of the last start with the folder', async () => {
    const port = await keptPort(folder);
    expect(await keptPort(folder)).toBe(port);
  });

  test('is another one from then on, when that is taken', async () => {
    const taken = await keptPort(folder);
    const close = await listen(taken);
    const port = await keptPort(folder);
    expect(port).not.toBe(taken);
    await close();
    expect(await keptPort(folder)).toBe(port);
  });

  test('is AWS_PORT, which has to be free', async () => {
    expect(portsFrom({}).awsPort).toBeUndefined();
    const awsPort = await keptPort(folder);
    expect(portsFrom({ AWS_PORT: String(awsPort) })).toMatchObject({ awsPort });
    expect(() => portsFrom({ AWS_PORT: '65536' })).toThrow('AWS_PORT must be from 1 to 65535.');
    const close = await listen(awsPort);
    await expect(assertFree({ ...portsFrom({ PORT: '1' }), awsPort })).rejects.toThrow();
    await close();
  });
});
