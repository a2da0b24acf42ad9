import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { asyncApiDocument } from '../contract/documents/asyncapi/asyncapi-document';
import { platformDocument } from '../contract/documents/asyncapi/platform-document';
import { openApiDocument } from '../contract/documents/openapi/openapi-document';
import { stackName } from '../lib/stack/drone-mission-api-stack';
import { appTemplates } from './deployer-policy/app-templates';
import { everyOption } from './deployer-policy/every-option';
import { withAlarmCount, withAlarmTable, withEndpointList } from './documents/tables';
import { writeDerivedFiles } from './documents/derived-files';
import { formatted } from './formatted';
import { finalStatesInPython, finalStatesInTypeScript } from './documents/final-states';

const root = join(__dirname, '..');
const usage = `usage: npm run documents -- [--check]

Writes the API's documents into docs/api/, the endpoints in docs/guides/index.md, the alarms in docs/operations.md and their number in docs/deploying.md, and the generated parts of the clients, except the types of the Python client. What isn't in git goes into documents.out/: the Postman collection and the schemas of the platform's events. --check only compares: exit code 1 if one is not up to date.
`;

/** The documents, by their path. */
const documents = {
  'docs/api/openapi.json': openApiDocument,
  'docs/api/asyncapi.json': asyncApiDocument,
  'docs/api/platform-asyncapi.json': platformDocument,
} satisfies Record<string, () => unknown>;

/** Files that are not JSON, by their path. */
const texts = {
  'docs/guides/index.md': () => rewritten('docs/guides/index.md', withEndpointList),
  // The templates are synthesised, unless nothing has changed.
  'docs/operations.md': async () => {
    const { resources } = await template(stackName(everyOption.stage));
    return rewritten('docs/operations.md', (page) => withAlarmTable(page, resources));
  },
  'docs/deploying.md': async () => {
    const { resources } = await template(stackName(undefined));
    return rewritten('docs/deploying.md', (page) => withAlarmCount(page, resources));
  },
  'clients/typescript/src/resources/final-states.ts': finalStatesInTypeScript,
  'clients/python/src/drone_mission_client/_resources/final_states.py': finalStatesInPython,
} as const satisfies Record<string, () => string | Promise<string>>;

let templates: ReturnType<typeof appTemplates> | undefined;

async function template(name: string) {
  const found = (await (templates ??= appTemplates())).find((one) => one.stackName === name);
  if (!found) throw new Error(`the app has no stack ${name}`);
  return found;
}

const rewritten = (path: string, rewrite: (text: string) => string) =>
  formatted(path, rewrite(readFileSync(join(root, path), 'utf8')));

/** Generates the types of the TypeScript client from the written documents, or compares them. */
function generateTypes(check: boolean): boolean {
  const words = [
    'run',
    '--silent',
    'types',
    '--workspace',
    'drone-mission-client',
    ...(check ? ['--', '--check'] : []),
  ];
  return spawnSync('npm', words, { cwd: root, stdio: 'inherit' }).status === 0;
}

async function run(args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options: { check: { type: 'boolean', default: false } } });
  const stale: string[] = [];
  const written = Object.entries(documents).map(
    ([path, generate]) => [path, () => formatted(path, JSON.stringify(generate()))] as const,
  );
  const files = [written, Object.entries(texts)].flat();
  for (const [path, generate] of files) {
    const file = join(root, path);
    const text = await generate();
    if (existsSync(file) && readFileSync(file, 'utf8') === text) continue;
    stale.push(path);
    if (values.check) continue;
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    process.stdout.write(`${path}\n`);
  }
  if (values.check && stale.length > 0) {
    process.stderr.write(`not up to date: ${stale.join(', ')}. Run «npm run documents» and commit the result.\n`);
    return 1;
  }
  if (!values.check) await writeDerivedFiles(join(root, 'documents.out'));
  return generateTypes(values.check) ? 0 : 1;
}

run(process.argv.slice(2)).then(
  (exitCode) => {
    process.exitCode = exitCode;
  },
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n${usage}`);
    process.exitCode = 2;
  },
);
