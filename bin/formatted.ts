import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { format } from 'oxfmt';

const configuration = join(__dirname, '..', '.oxfmtrc.json');

/** The text of a file in the format of the repository. @throws Error when it can't be parsed */
export async function formatted(file: string, text: string): Promise<string> {
  const { ignorePatterns: _, ...options } = JSON.parse(readFileSync(configuration, 'utf8')) as Record<string, unknown>;
  const { code, errors } = await format(file, text, options);
  if (errors.length > 0) throw new Error(errors.map(({ message }) => `${file}: ${message}`).join('\n'));
  return code;
}
