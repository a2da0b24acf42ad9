import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below the ports that Linux gives to whoever names none (ip_local_port_range, ip(7)): those may be taken before the caller listens. */
const [LOWEST, HIGHEST] = [16_000, 32_000];

const given = new Set<number>();

/** A TCP port of 127.0.0.1 that is free, and that this process gets once. @throws Error of listening, unless the port is taken */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(LOWEST, HIGHEST);
    if (!given.has(port) && (await isFree(port))) {
      given.add(port);
      return port;
    }
  }
}

/** Whether nothing listens on a port of 127.0.0.1. @throws Error of listening, unless the port is taken */
export async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false;
    throw error;
  }
  await new Promise((resolve) => server.close(resolve));
  return true;
}
