import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../../outsiders/processes';
import { withAttempts } from '../../outsiders/install';

const client = join(__dirname, '../../../clients/go');
const MODULE = 'drone-mission-api/clients/go';

/**
 * Makes a folder the module of a partner, whose programs import the client as it is in this repository.
 * @throws Error when the modules that the client needs can't be downloaded
 */
export async function makePartnerModule(folder: string): Promise<void> {
  for (const file of ['go.mod', 'go.sum']) cpSync(join(client, file), join(folder, file));
  const own = ['-module', 'example.com/partner', '-require', `${MODULE}@v0.0.0`, '-replace', `${MODULE}=${client}`];
  await runCommand('go', ['mod', 'edit', ...own], { cwd: folder });
  await withAttempts('downloading modules', () => runCommand('go', ['mod', 'download'], { cwd: folder }));
}
