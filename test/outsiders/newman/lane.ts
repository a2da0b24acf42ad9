import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { postmanCollection } from '../../../docs/postman/collection';
import { startStack, stopStack } from '../../api/stack/running-stack';
import { runCommand } from '../processes';
import { installed } from '../install';
import type { Lane } from '../lane';

const files = ['package.json', 'package-lock.json'];

/** Requests that are refused in this order of requests, with the reason. */
const refused: Readonly<Record<string, { readonly status: number; readonly reason: string }>> = {
  'POST /v3/jobs/dispatch': { status: 409, reason: 'without a fleet no device stands' },
  'POST /v3/devices/:deviceId/commands': { status: 409, reason: 'without a fleet no device flies' },
  'GET /v3/jobs/:jobId/commands': { status: 404, reason: 'the requests before it have deleted the job' },
  'DELETE /v3/shares/:shareCode': { status: 404, reason: 'the request before it has revoked the same share' },
};

const partner = z.object({ clientId: z.string(), clientSecret: z.string(), apiKey: z.string() });

const facts = z.object({
  baseUrl: z.string(),
  partners: z.tuple([partner], partner),
});

const report = z.object({
  run: z.object({
    executions: z.array(
      z.object({
        item: z.object({
          name: z.string(),
          // As in the collection: the path of the request that was sent has values.
          request: z.object({ method: z.string(), url: z.object({ path: z.array(z.string()) }) }),
        }),
        response: z.optional(z.object({ code: z.number() })),
      }),
    ),
    failures: z.array(
      z.object({ source: z.optional(z.object({ name: z.string() })), error: z.object({ message: z.string() }) }),
    ),
  }),
});

/** Postman's runner: the collection can be sent from the first request to the last with nothing but the credentials. */
export const newman: Lane = {
  title: 'the Postman collection, every request for real, by newman',
  run: async () => {
    const script = await installNewman();
    const folder = mkdtempSync(join(tmpdir(), 'outsiders-newman-'));
    const stack = await startStack(['--no-fleet']);
    try {
      const collection = join(folder, 'collection.json');
      writeFileSync(collection, JSON.stringify(await postmanCollection()));
      const environment = join(folder, 'environment.json');
      const exported = join(folder, 'report.json');
      writeFileSync(environment, environmentOf(join(stack.folder, 'stack.json')), { mode: 0o600 });
      const reporter = ['--reporters', 'json', '--reporter-json-export', exported];
      // 1 when a request or a script has failed, which the report names.
      await runCommand(process.execPath, [script, 'run', collection, '--environment', environment, ...reporter], {
        exitCodes: [0, 1],
      });
      return findingsIn(report.parse(JSON.parse(readFileSync(exported, 'utf8'))));
    } finally {
      await stopStack(stack);
      rmSync(folder, { recursive: true });
    }
  },
};

/** @throws {NotInstalled} */
async function installNewman(): Promise<string> {
  const contents = files.map((file) => readFileSync(join(__dirname, file), 'utf8')).join('');
  const folder = await installed('newman', contents, async (fresh) => {
    for (const file of files) copyFileSync(join(__dirname, file), join(fresh, file));
    await runCommand('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: fresh });
  });
  return join(folder, 'node_modules/newman/bin/newman.js');
}

/** What a partner fills in, as a Postman environment. */
function environmentOf(stackFile: string): string {
  const { baseUrl, partners } = facts.parse(JSON.parse(readFileSync(stackFile, 'utf8')));
  const { clientId, clientSecret, apiKey } = partners[0];
  const values = Object.entries({ baseUrl, clientId, clientSecret, apiKey }).map(([key, value]) => ({ key, value }));
  return JSON.stringify({ name: 'local stack', values });
}

function findingsIn({ run: { executions, failures } }: z.infer<typeof report>): string[] {
  for (const [request, { status, reason }] of Object.entries(refused))
    console.log(`  ${request}: ${status}, ${reason}`);
  console.log(`  ${executions.length} requests sent`);
  const unexpected = executions.flatMap(({ item: { name, request }, response }) => {
    const expected = refused[`${request.method} /${request.url.path.join('/')}`]?.status;
    const code = response?.code ?? 0;
    const isGood = expected === undefined ? code >= 200 && code < 300 : code === expected;
    return isGood ? [] : [`${name}: answered with ${code || 'nothing'}`];
  });
  const failed = failures.map(({ source, error }) => `${source?.name ?? 'collection'}: ${error.message}`);
  return executions.length === 0 ? ['no request was sent', ...failed] : [...unexpected, ...failed];
}
