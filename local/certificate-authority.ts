import { webcrypto, X509Certificate } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from './kept-file';

/** What a TLS server on this machine needs, and what its clients need to trust it. */
export interface ServerCertificate {
  /** File with the authority's certificate (PEM), for `NODE_EXTRA_CA_CERTS` and `curl --cacert`. */
  readonly caFile: string;
  /** The server's private key, PEM. */
  readonly key: string;
  /** The server's certificate for 127.0.0.1 and localhost, PEM. */
  readonly cert: string;
}

const day = 24 * 3600 * 1000;
const lifetime = 730 * day;
const renewal = 30 * day;

/**
 * Gives the server certificate kept in `folder`. The first time, and a month before it expires, makes a new authority
 * and a certificate signed by it; the authority's key is then forgotten, so that nobody can sign another one.
 */
export async function serverCertificate(folder: string): Promise<ServerCertificate> {
  const caFile = join(folder, 'ca.pem');
  const keyFile = join(folder, 'server-key.pem');
  const certFile = join(folder, 'server.pem');
  if (!(await lasts(certFile)) || !existsSync(keyFile) || !existsSync(caFile)) {
    await mkdir(folder, { recursive: true });
    const made = await makeCertificates();
    // Of the three it is looked at first: without it, a start that was broken off here is begun again.
    rmSync(certFile, { force: true });
    replaceFile(keyFile, made.key);
    replaceFile(caFile, made.ca, 0o644);
    replaceFile(certFile, made.cert, 0o644);
  }
  return { caFile, key: await readFile(keyFile, 'utf8'), cert: await readFile(certFile, 'utf8') };
}

async function lasts(certFile: string): Promise<boolean> {
  if (!existsSync(certFile)) return false;
  try {
    return Date.parse(new X509Certificate(await readFile(certFile)).validTo) > Date.now() + renewal;
  } catch {
    // No certificate: a new one does as well.
    return false;
  }
}

async function makeCertificates(): Promise<{ ca: string; key: string; cert: string }> {
  // Loaded only when needed: most starts find the files.
  await import('reflect-metadata');
  const x509 = await import('@peculiar/x509');
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const newKeys = () => webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const notBefore = new Date(Date.now() - day);
  const notAfter = new Date(Date.now() + lifetime);

  const authorityKeys = await newKeys();
  const authority = await x509.X509CertificateGenerator.createSelfSigned(
    {
      name: 'CN=Local stack authority',
      keys: authorityKeys,
      signingAlgorithm: algorithm,
      notBefore,
      notAfter,
      extensions: [
        new x509.BasicConstraintsExtension(true, 0, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
        await x509.SubjectKeyIdentifierExtension.create(authorityKeys.publicKey),
      ],
    },
    webcrypto,
  );

  const serverKeys = await newKeys();
  const server = await x509.X509CertificateGenerator.create(
    {
      subject: 'CN=127.0.0.1',
      issuer: authority.subject,
      publicKey: serverKeys.publicKey,
      signingKey: authorityKeys.privateKey,
      signingAlgorithm: algorithm,
      notBefore,
      notAfter,
      extensions: [
        new x509.BasicConstraintsExtension(false, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
        new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
        new x509.SubjectAlternativeNameExtension([
          { type: 'ip', value: '127.0.0.1' },
          { type: 'dns', value: 'localhost' },
        ]),
        await x509.AuthorityKeyIdentifierExtension.create(authority.publicKey),
      ],
    },
    webcrypto,
  );
  const key = await webcrypto.subtle.exportKey('pkcs8', serverKeys.privateKey);
  return {
    ca: `${authority.toString('pem')}\n`,
    cert: `${server.toString('pem')}\n`,
    key: `${x509.PemConverter.encode(key, 'PRIVATE KEY')}\n`,
  };
}
