import { readFileSync } from 'node:fs';
import { rootCertificates } from 'node:tls';

/**
 * The certificate authorities to trust: the public ones, and that of a file in PEM.
 * @returns undefined without a file: the public ones alone
 * @throws Error of Node when the file can't be read
 */
export const authorities = (caFile: string | undefined): readonly string[] | undefined =>
  caFile === undefined ? undefined : [...rootCertificates, readFileSync(caFile, 'utf8')];
