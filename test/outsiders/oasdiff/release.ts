import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../assemblies';
import { openApiFile } from '../documents';
import { structureOf } from './structure';

/** Notes the OpenAPI document as the released one, which later ones are compared with. */
const document: unknown = JSON.parse(readFileSync(join(root, openApiFile), 'utf8'));
writeFileSync(join(__dirname, 'released.json'), `${JSON.stringify(structureOf(document))}\n`);
