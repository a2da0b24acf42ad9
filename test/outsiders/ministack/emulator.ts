import { join } from 'node:path';
import { startServer, type Server } from '../server';

const REGION = 'eu-central-1';
/** Endpoint of all AWS calls that name no host of their own. */
const ENDPOINT = `https://${REGION}.amazonaws.com`;
const PORT = 4566;
/** For a server that hangs: one that ends is noticed at once. */
const READY_WITHIN_MS = 120_000;

/** Path of the certificate that `fillWorkFolder` creates. */
export const certificateIn = (work: string) => join(work, 'certificate.pem');

/** Environment of a program that calls AWS as the account's administrator. */
export const administrator = (work: string) => ({
  AWS_ENDPOINT_URL: ENDPOINT,
  AWS_REGION: REGION,
  AWS_ACCESS_KEY_ID: 'test',
  AWS_SECRET_ACCESS_KEY: 'test',
  NODE_EXTRA_CA_CERTS: certificateIn(work),
  AWS_CA_BUNDLE: certificateIn(work),
  AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
});

/**
 * Starts the emulator on port 443, where AWS is, and on the second port that it requires.
 * @param work folder with its certificate and for its log
 * @param python interpreter with its package
 * @param nodeFolder folder of the functions' Node.js
 */
export function startEmulator(work: string, python: string, nodeFolder: string): Promise<Server> {
  const temporary = join(work, 'temporary');
  const certificate = certificateIn(work);
  return startServer({
    command: python,
    args: [join(__dirname, 'emulator.py')],
    env: {
      AUTH: 'true',
      BIND_HOST: '127.0.0.1',
      GATEWAY_PORT: String(PORT),
      MINISTACK_HOST: new URL(ENDPOINT).host,
      MINISTACK_REGION: REGION,
      USE_SSL: '1',
      MINISTACK_SSL_CERT: certificate,
      MINISTACK_SSL_KEY: join(work, 'key.pem'),
      SFTP_ENABLED: '0',
      // The functions' environment: the template's Node.js, and this certificate authority instead of AWS's.
      PATH: `${nodeFolder}:${process.env['PATH'] ?? ''}`,
      NODE_EXTRA_CA_CERTS: certificate,
      AWS_CA_BUNDLE: certificate,
      HOME: temporary,
      TMPDIR: temporary,
    },
    cwd: work,
    logFile: join(work, 'emulator.log'),
    url: `${ENDPOINT}:${PORT}/_ministack/health`,
    readyWithinMs: READY_WITHIN_MS,
  });
}
