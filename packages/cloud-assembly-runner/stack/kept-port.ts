import { join } from 'node:path';
import * as z from 'zod';
import { openDataFile } from '../data-folder/data-file';
import { freePort, isFree } from '../free-port';

/**
 * The port of the AWS APIs: that of the last start with this folder, so that addresses of queues stay as they are. One
 * that is taken by now is replaced for good.
 * @throws Error when the folder can't be written
 */
export async function keptPort(folder: string): Promise<number> {
  const file = openDataFile(join(folder, 'aws-port.json'), z.number().int().nullable(), null);
  const last = file.read();
  if (last !== null && (await isFree(last))) return last;
  const port = await freePort();
  file.write(port);
  return port;
}
