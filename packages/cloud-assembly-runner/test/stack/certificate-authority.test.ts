import { X509Certificate } from 'node:crypto';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serverCertificate } from '../../stack/certificate-authority';

describe('The local certificate authority', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'authority-test-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  test('signs a certificate for loopback only', async () => {
    const { caFile, cert } = await serverCertificate(folder);
    const authority = new X509Certificate(await readFile(caFile));
    const server = new X509Certificate(cert);
    expect(server.verify(authority.publicKey)).toBe(true);
    expect(server.checkIP('127.0.0.1')).toBe('127.0.0.1');
    expect(server.checkHost('localhost')).toBe('localhost');
    expect(server.checkHost('example.com')).toBeUndefined();
    expect([authority.ca, server.ca]).toEqual([true, false]);
  });

  test('is created once, with a private key that only the owner can read', async () => {
    const first = await serverCertificate(folder);
    expect(await serverCertificate(folder)).toEqual(first);
    expect((await stat(join(folder, 'server-key.pem'))).mode & 0o777).toBe(0o600);
  });

  test('is created again when a file is missing', async () => {
    const first = await serverCertificate(folder);
    await rm(first.caFile);
    const second = await serverCertificate(folder);
    expect(second.cert).not.toBe(first.cert);
    const authority = new X509Certificate(await readFile(second.caFile));
    expect(new X509Certificate(second.cert).verify(authority.publicKey)).toBe(true);
  });
});
