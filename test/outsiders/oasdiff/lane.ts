import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { withoutAccepted, type Accepted, type Lane } from '../lane';
import { openApiFile, root } from '../artifacts';
import { runCommand } from '../processes';
import { goProgram } from '../install';

/** Changes that break a client, as `oasdiff breaking --format json` prints them. */
const changes = z.array(z.object({ id: z.string(), text: z.string(), operation: z.string(), path: z.string() }));
type Change = z.output<typeof changes>[number];

/** Breaking changes since the release, each with the sentence by which CHANGELOG.md gives the reason. */
const accepted: readonly Accepted<Change>[] = [
  {
    concerns: ({ path, text }) => path === '/v3/events' && /CommandEvent|command\.status/.test(text),
    reason: 'Code generated before reads such events as `UnknownEvent`.',
  },
];

/** oasdiff compares the OpenAPI document with the released one. */
export const oasdiff: Lane = {
  title: 'the OpenAPI document, for changes since the release that break a client, by oasdiff',
  run: async () => {
    const program = await goProgram('oasdiff', __dirname, 'github.com/oasdiff/oasdiff');
    const released = join(__dirname, 'released.json');
    const compare = ['breaking', released, join(root, openApiFile), '--format', 'json'];
    const { stdout } = await runCommand(program, compare, {});
    const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8').replaceAll(/\s+/g, ' ');
    const unexplained = accepted.filter(({ reason }) => !changelog.includes(reason));
    return [
      ...withoutAccepted(
        changes.parse(JSON.parse(stdout)),
        accepted,
        ({ id, operation, path, text }) => `${operation} ${path}: ${text} (${id})`,
      ),
      ...unexplained.map(({ reason }) => `CHANGELOG.md does not say: ${reason}`),
    ];
  },
};
