import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Folder of the guides, `docs/guides/`. */
export const guidesFolder = join(process.cwd(), 'docs/guides');

/** In the order in which they are read. */
const slugs = [
  'quick-start',
  'authentication',
  'fly-somewhere',
  'steer',
  'jobs',
  'missions',
  'real-time',
  'events',
  'telemetry',
  'sharing',
  'errors',
  'limits',
  'versioning',
  'connect-a-platform',
  'changelog',
];

export interface Guide {
  /** Name of the file and of the page. */
  readonly slug: string;
  /** Its first heading. */
  readonly title: string;
  /** One sentence, from the front matter. */
  readonly description: string;
}

/** The guides in docs/guides/, which are in the navigation and in llms.txt. */
export function existingGuides(): Guide[] {
  return slugs
    .filter((slug) => existsSync(join(guidesFolder, `${slug}.md`)))
    .map((slug) => {
      const text = readFileSync(join(guidesFolder, `${slug}.md`), 'utf8');
      const [, title = slug] = /^# (.+)$/m.exec(text) ?? [];
      const [, description = ''] = /^description: (.+)$/m.exec(text) ?? [];
      return { slug, title, description };
    });
}
