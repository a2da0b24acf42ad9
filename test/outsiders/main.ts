import { actionlint } from './actionlint/lane';
import { advisories } from './advisories/lane';
import { asyncApiParser } from './asyncapi-parser/lane';
import { cdkNag } from './cdk-nag/lane';
import { cfnLint } from './cfn-lint/lane';
import { dynamoDbLocal } from './dynamodb-local/lane';
import { gdal } from './gdal/lane';
import { generators } from './generators/lane';
import { geographiclib } from './geographiclib/lane';
import { k6 } from './k6/lane';
import { lambdaRuntime } from './lambda-runtime/lane';
import { ministack } from './ministack/lane';
import { missionFiles } from './mission-files/lane';
import { newman } from './newman/lane';
import { njs } from './njs/lane';
import { oasdiff } from './oasdiff/lane';
import { redocly } from './redocly/lane';
import { schemathesis } from './schemathesis/lane';
import type { Lane } from './lane';

const lanes: Readonly<Record<string, Lane>> = {
  'cfn-lint': cfnLint,
  'cdk-nag': cdkNag,
  actionlint,
  advisories,
  newman,
  njs,
  redocly,
  oasdiff,
  'asyncapi-parser': asyncApiParser,
  gdal,
  geographiclib,
  'mission-files': missionFiles,
  generators,
  schemathesis,
  k6,
  'dynamodb-local': dynamoDbLocal,
  'lambda-runtime': lambdaRuntime,
  ministack,
};

/** Runs lanes one after the other and prints their findings. */
async function main(names: readonly string[]): Promise<void> {
  const unknown = names.filter((name) => !Object.hasOwn(lanes, name));
  if (unknown.length > 0 || names.length === 0) {
    const known = Object.entries(lanes).map(([name, { title }]) => `  ${name.padEnd(16)}${title}`);
    throw new Error(`usage: npm run outsiders -- <lane> …, the lanes being\n${known.join('\n')}`);
  }
  for (const name of names) if (!(await runLane(name))) process.exitCode = 1;
}

async function runLane(name: string): Promise<boolean> {
  const lane = lanes[name];
  if (!lane) return false;
  console.log(`${name}: ${lane.title}`);
  const began = performance.now();
  const seconds = () => `${((performance.now() - began) / 1000).toFixed(1)} s`;
  try {
    const findings = await lane.run();
    for (const objection of findings) console.log(`  ✗ ${objection.replaceAll('\n', '\n    ')}`);
    console.log(
      findings.length === 0 ? `${name}: passed (${seconds()})` : `${name}: ${findings.length} found (${seconds()})`,
    );
    return findings.length === 0;
  } catch (error) {
    console.log(`${name}: failed (${seconds()}): ${error instanceof Error ? error.message : String(error)}`);
    return false;
  }
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
});
