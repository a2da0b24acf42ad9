import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { synthesiseApp } from '../start/synthesis';
import { everyOption } from './every-option';
import type { NamedTemplate } from './physical-names';

const SUFFIX = '.template.json';
const TIMEOUT_MS = 120_000;

const template = z.object({
  Resources: z.record(
    z.string(),
    z.object({ Type: z.string(), Properties: z.record(z.string(), z.unknown()).default({}) }),
  ),
});

/** The templates of the app, without options and with every one, which together have every resource. */
export async function appTemplates(): Promise<NamedTemplate[]> {
  const folders = [
    await synthesiseApp('.', {}, AbortSignal.timeout(TIMEOUT_MS)),
    await synthesiseApp('everything', everyOption, AbortSignal.timeout(TIMEOUT_MS)),
  ];
  return folders.flatMap((folder) =>
    readdirSync(folder)
      .filter((file) => file.endsWith(SUFFIX))
      .map((file) => ({
        stackName: file.slice(0, -SUFFIX.length),
        resources: template.parse(JSON.parse(readFileSync(join(folder, file), 'utf8'))).Resources,
      })),
  );
}
