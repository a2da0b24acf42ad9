import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { partnersShape } from '../../../bin/start/stack-facts';

/** Everything that a local stack has printed and logged, from its data folder. */
export function readLogs(folder: string): string {
  const files = readdirSync(folder, { recursive: true }).map(String);
  const logs = files.filter((name) => name.endsWith('.log')).map((name) => join(folder, name));
  return logs.map((file) => readFileSync(file, 'utf8')).join('\n');
}

/** Patterns of tokens and share codes, which must not be in the logs. */
const forms = [/\beyJ[\w-]{10,}\.[\w-]{10,}/g, /\bshare-[0-9a-z]{8}-[0-9a-z]{20,}/g];

/** Credentials in a text: tokens, share codes, secrets and API keys of the tests' partners. */
export function secretsIn(text: string): string[] {
  const file = process.env['ORGANISATIONS_FILE'];
  const { partners } =
    file && existsSync(file) ? partnersShape.parse(JSON.parse(readFileSync(file, 'utf8'))) : { partners: [] };
  const known = partners.flatMap(({ clientSecret, apiKey }) => [clientSecret, apiKey]);
  return [...forms.flatMap((form) => text.match(form) ?? []), ...known.filter((secret) => text.includes(secret))];
}
