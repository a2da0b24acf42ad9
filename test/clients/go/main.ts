import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { partnersShape } from '../../../bin/start/stack-facts';
import { startStack, stopStack } from '../../api/stack/running-stack';
import { runCommand } from '../../outsiders/processes';
import { openApiFile } from '../../outsiders/artifacts';
import { withAttempts, goProgram } from '../../outsiders/install';
import { endWith, passes, runChecks } from '../run-checks';
import { makePartnerModule } from '../languages';

const root = join(__dirname, '../../..');
const folder = join(root, 'clients/go');
const MODELS = 'models.gen.go';
const GENERATOR = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen';
const LINTER = 'honnef.co/go/tools/cmd/staticcheck';

const facts = z.object({
  ...partnersShape.shape,
  baseUrl: z.string(),
  wsUrl: z.string(),
  mqttUrl: z.string(),
  caFile: z.string(),
});

/** The types of the REST API, generated from the OpenAPI document. @param file that is written */
async function generateModels(file: string): Promise<void> {
  const generator = await goProgram('generators-go', join(root, 'test/outsiders/generators/go'), GENERATOR);
  const options = ['-generate', 'types', '-package', 'dronemission', '-o', file];
  await runCommand(generator, [...options, join(root, openApiFile)], { cwd: folder });
}

/** @throws Error when the committed types are not those of the document */
async function expectModels(): Promise<void> {
  const temporary = mkdtempSync(join(tmpdir(), 'go-models-'));
  try {
    const fresh = join(temporary, MODELS);
    await generateModels(fresh);
    if (readFileSync(fresh, 'utf8') !== readFileSync(join(folder, MODELS), 'utf8'))
      throw new Error(`clients/go/${MODELS} is not that of docs/api/: run npm run models:go`);
  } finally {
    rmSync(temporary, { recursive: true });
  }
}

async function expectFormatted(): Promise<void> {
  const { stdout } = await runCommand('gofmt', ['-l', '.'], { cwd: folder });
  if (stdout !== '') throw new Error(`not formatted by gofmt: ${stdout.trim().split('\n').join(', ')}`);
}

/** A command of Go in the client's folder. @throws Error with its output when it fails */
const go = (...args: string[]) => runCommand('go', args, { cwd: folder });

async function runStaticcheck(): Promise<void> {
  const linter = await goProgram('staticcheck', join(__dirname, 'tools'), LINTER);
  await runCommand(linter, ['./...'], { cwd: folder });
}

/** The programs of the client's README, compiled in an empty folder, as a partner has them. */
async function compileReadme(): Promise<void> {
  const programs = readFileSync(join(folder, 'README.md'), 'utf8').matchAll(/^```go\n(package main\n.*?)^```$/gms);
  const blocks = [...programs].map(([, program = '']) => program);
  if (blocks.length === 0) throw new Error('the README has no program');
  const temporary = mkdtempSync(join(tmpdir(), 'go-readme-'));
  try {
    await makePartnerModule(temporary);
    for (const program of blocks) {
      writeFileSync(join(temporary, 'main.go'), program);
      await runCommand('go', ['vet', '.'], { cwd: temporary });
    }
  } finally {
    rmSync(temporary, { recursive: true });
  }
}

/** Against a stack of its own, as a client that may do everything; with the race detector, which needs cgo. */
async function runTests(): Promise<void> {
  const stack = await startStack();
  try {
    const written: unknown = JSON.parse(readFileSync(join(stack.folder, 'stack.json'), 'utf8'));
    const { baseUrl, wsUrl, mqttUrl, caFile, partners } = facts.parse(written);
    const whole = partners.find(({ scopes }) => scopes.includes('command:control'));
    if (!whole) throw new Error('no client of the stack may command');
    const { apiKey, clientId, clientSecret } = whole;
    const addresses = { BASE_URL: baseUrl, WS_URL: wsUrl, MQTT_URL: mqttUrl, CA_FILE: caFile };
    const env = { ...addresses, API_KEY: apiKey, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret };
    const args = ['test', '-race', '-count=1', '-mod=readonly', './...'];
    const { stdout } = await runCommand('go', args, { cwd: folder, env: { ...env, CGO_ENABLED: '1' } });
    console.log(stdout.trim());
  } finally {
    await stopStack(stack);
  }
}

const checks: readonly (readonly [title: string, run: () => Promise<unknown>])[] = [
  ['modules', () => withAttempts('downloading modules', () => go('list', '-mod=readonly', '-deps', '-test', './...'))],
  ['generated types', expectModels],
  ['format', expectFormatted],
  ['vet', () => go('vet', '-mod=readonly', './...')],
  ['staticcheck', runStaticcheck],
  ['README', compileReadme],
  ['tests', runTests],
];

/** Tests the Go client; `--models` writes the generated types instead. @returns whether all passed */
async function run(words: readonly string[]): Promise<boolean> {
  if (words.includes('--models')) {
    await generateModels(join(folder, MODELS));
    return true;
  }
  return runChecks(checks.map(([title, check]) => [title, () => passes(check)]));
}

endWith(run(process.argv.slice(2)));
