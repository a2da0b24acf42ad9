import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openApiFile, root } from '../artifacts';

const TEXTS = ['summary', 'description', 'examples', 'example', 'tags', 'externalDocs', 'servers'];
/** Their members have names of ours, which may be the same words. */
const MAPS = ['properties', 'headers', 'schemas'];

/** A part of an OpenAPI document without texts, examples and extensions: what may break a client. */
function structureOf(part: unknown, isMap = false): unknown {
  if (Array.isArray(part)) return part.map((one) => structureOf(one));
  if (typeof part !== 'object' || part === null) return part;
  const kept = Object.entries(part).filter(([name]) => isMap || !(TEXTS.includes(name) || name.startsWith('x-')));
  return Object.fromEntries(kept.map(([name, value]) => [name, structureOf(value, !isMap && MAPS.includes(name))]));
}

/** Notes the OpenAPI document as the released one, which later ones are compared with. */
const document: unknown = JSON.parse(readFileSync(join(root, openApiFile), 'utf8'));
writeFileSync(join(__dirname, 'released.json'), `${JSON.stringify(structureOf(document))}\n`);
