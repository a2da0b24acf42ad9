import { webcrypto, X509Certificate } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '../data-folder/atomic-file';

/** Key and certificate of a TLS server on this machine, and the CA certificate that its clients trust. */
export interface ServerCertificate {
  /** File with the authority's certificate (PEM), for `NODE_EXTRA_CA_CERTS` and `curl --cacert`. */
  readonly caFile: string;
  /** The server's private key, PEM. */
  readonly key: string;
  /** The server's certificate for 127.0.0.1 and localhost, PEM. */
  readonly cert: string;
}

const DAY_MS = 24 * 3600 * 1000;
const LIFETIME_MS = 730 * DAY_MS;
const RENEWAL_MS = 30 * DAY_MS;

/**
 * Returns the server certificate in `folder`. If there is none, or it expires within 30 days, creates a new authority and
 * a certificate signed by it. The authority's key is not stored, so nothing else can be signed with it.
 */
export async function serverCertificate(folder: string): Promise<ServerCertificate> {
  const caFile = join(folder, 'ca.pem');
  const keyFile = join(folder, 'server-key.pem');
  const certFile = join(folder, 'server.pem');
  if (!(await isValidLongEnough(certFile)) || !existsSync(keyFile) || !existsSync(caFile)) {
    await mkdir(folder, { recursive: true });
    const made = await makeCertificates();
    // Its absence marks the three files as incomplete: after a crash here the next start creates all of them again.
    rmSync(certFile, { force: true });
    replaceFile(keyFile, made.key);
    replaceFile(caFile, made.ca, 0o644);
    replaceFile(certFile, made.cert, 0o644);
  }
  return { caFile, key: await readFile(keyFile, 'utf8'), cert: await readFile(certFile, 'utf8') };
}

async function isValidLongEnough(certFile: string): Promise<boolean> {
  if (!existsSync(certFile)) return false;
  try {
    return Date.parse(new X509Certificate(await readFile(certFile)).validTo) > Date.now() + RENEWAL_MS;
  } catch {
    // Not a certificate: it is replaced.
    return false;
  }
}

async function makeCertificates(): Promise<{ ca: string; key: string; cert: string }> {
  // Imported here because most starts find the files and don't need it.
  await import('reflect-metadata');
  const x509 = await import('@peculiar/x509');
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const newKeys = () => webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const notBefore = new Date(Date.now() - DAY_MS);
  const notAfter = new Date(Date.now() + LIFETIME_MS);

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
