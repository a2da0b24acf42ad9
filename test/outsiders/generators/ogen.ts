import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../assemblies';
import { openApiFile } from '../documents';
import { withAttempts, goProgram } from '../install/programs';
import { expectUsable } from './go';
import { GenerationFailed, step } from './step';

const pinned = join(__dirname, 'ogen');

/**
 * What ogen leaves out, by its reason: it knows no union of schemas without a discriminator, which an unknown `type`
 * would break. So its clients have no `GET /v3/events`, and a track as text only.
 */
const LEFT_OUT = [
  "media: can't infer fields discriminator: [LineString, MultiPoint]",
  'media: complex anyOf not implemented',
  'operation: complex anyOf not implemented',
];

/** ogen: a client whose types check what they read. */
export async function ogenClient(folder: string): Promise<string> {
  const program = await goProgram('generators-ogen', pinned, 'github.com/ogen-go/ogen/cmd/ogen');
  for (const file of ['go.mod', 'go.sum', 'ogen.yml']) copyFileSync(join(pinned, file), join(folder, file));
  const options = ['--target', 'client', '--package', 'client', '--config', 'ogen.yml'];
  const { stdout, stderr } = await step(program, [...options, join(root, openApiFile)], { cwd: folder });
  const skipped = [...`${stdout}${stderr}`.matchAll(/Skipping (\w+)\t.*"reason_error": "([^"]+)"/g)];
  const leftOut = [...new Set(skipped.map(([, what = '', reason = '']) => `${what}: ${reason}`))].sort();
  if (leftOut.join() !== LEFT_OUT.join()) throw new GenerationFailed(`ogen leaves out ${leftOut.join('; ')}`);
  await withAttempts('downloading modules', () =>
    step('go', ['list', '-mod=readonly', '-deps', './client'], { cwd: folder }),
  );
  await step('go', ['vet', '-mod=readonly', './client'], { cwd: folder });
  expectUsable(readFileSync(join(folder, 'client/oas_schemas_gen.go'), 'utf8'));
  return 'ogen wrote code that passes go vet; it leaves out unions, so GET /v3/events and a track as GeoJSON';
}
