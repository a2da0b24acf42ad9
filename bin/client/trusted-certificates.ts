import { readFileSync } from 'node:fs';
import { rootCertificates } from 'node:tls';

/**
 * Certificates of the authorities to trust: the public ones and the one of a PEM file.
 * @returns undefined without a file, which means the public ones only
 * @throws Error when the file can't be read
 */
export const trustedCertificates = (caFile: string | undefined): readonly string[] | undefined =>
  caFile === undefined ? undefined : [...rootCertificates, readFileSync(caFile, 'utf8')];
