import { existsSync } from 'node:fs';
import { addBuilt, assetFolder } from '../../lib/docs/asset-folder';
import { buildDocs } from '../../lib/docs/docs-build';
import { docsFiles, docsPartIn, docsParts } from '../../lib/docs/docs-files';

/**
 * Builds the docs site and adds it to an assembly that was synthesised without it, unless an earlier start has.
 * @throws Error, which is printed, when it can't be built
 */
export async function addDocs(assembly: string, stopped: AbortSignal): Promise<void> {
  try {
    const missing = docsParts
      .map((part) => ({ part, hash: docsFiles(part).hash }))
      .filter(({ hash }) => !existsSync(assetFolder(assembly, hash)));
    if (missing.length === 0) return;
    const site = await buildDocs(stopped);
    for (const { part, hash } of missing) addBuilt(assembly, hash, docsPartIn(site, part));
  } catch (error) {
    if (!stopped.aborted) console.error(error instanceof Error ? error.message : error);
    throw error;
  }
}
