import type { ReadyStack } from 'cloud-assembly-runner';
import { readJsonFile, replaceFile } from 'cloud-assembly-runner/data-folder/atomic-file';
import { join } from 'node:path';
import { seed } from './seeding';
import { partnersShape, type AppFacts, type Partner } from './stack-facts';

/** Onboards the demo partners unless an earlier start has. @returns the app's part of `stack.json`, without the demo flight */
export async function addDemoPartners(
  { dataFolder, outputs, access }: ReadyStack,
  stopped: AbortSignal,
  onboard = seed,
): Promise<Omit<AppFacts, 'demoFlightUrl'>> {
  const known = readPartners(dataFolder);
  const partners = known ?? (await onboard(access, stopped));
  if (!known) writePartners(dataFolder, partners);
  const { WebSocketUrl: wsUrl = null, ShareBaseUrl: shareBaseUrl = null, DocsUrl: docsUrl = null } = outputs;
  return { wsUrl, shareBaseUrl, docsUrl, partners };
}

/**
 * Partners that an earlier start onboarded; `undefined` when there are none.
 * @throws Error that names file, line and remedy when the file is invalid
 */
function readPartners(folder: string): readonly Partner[] | undefined {
  const remedy = `put back a copy of it, or remove ${folder} to start afresh`;
  return readJsonFile(join(folder, 'partners.json'), partnersShape, remedy)?.partners;
}

/** @throws Error in one line when the disk is full */
function writePartners(folder: string, partners: readonly Partner[]): void {
  replaceFile(join(folder, 'partners.json'), `${JSON.stringify({ partners }, null, 2)}\n`);
}
