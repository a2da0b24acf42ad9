import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../../outsiders/processes';
import { languages, type Command, type LanguageName } from '../languages';
import { clientCases } from './cases';
import { startScriptedService } from './scripted-service';

/** Inside of the project, so that a program finds the client as a package. */
const folderOf = (language: LanguageName) => join(__dirname, '../../../node_modules/.cache/client-cases', language);

/** Lines that a callback has printed. */
const CALLBACK = /^(lost$|gap |command .* )/;

/** Goes through all cases with the client of a language. */
export function passesCases(language: LanguageName): void {
  const folder = folderOf(language);
  let command: Command;

  beforeAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    const file = languages[language].file('case');
    cpSync(join(__dirname, 'programs', file), join(folder, file));
    await languages[language].prepare?.(folder);
    command = await languages[language].run(folder, 'case');
    // A first build of Go takes minutes on a busy machine.
  }, 600_000);

  test('has a program that stands the strict checks of its language', async () => {
    for (const { program, args, env = {} } of await languages[language].checks(folder))
      expect(await runCommand(program, args, { env })).toMatchObject({ stdout: '' });
  });

  test.each(clientCases.map((each) => [each.title, each] as const))('%s', async (_, each) => {
    const service = await startScriptedService(each);
    try {
      const { baseUrl, wsUrl } = service;
      const env = { ...command.env, BASE_URL: baseUrl, WS_URL: wsUrl, ...each.variables };
      const { stdout } = await runCommand(command.program, [...command.args, each.call], { env, timeoutMs: 60_000 });
      const lines = stdout.trim().split('\n');
      expect({
        told: lines.filter((line) => !CALLBACK.test(line)),
        callbacks: lines.filter((line) => CALLBACK.test(line)),
        requests: service.requests,
      }).toEqual({ told: each.told, callbacks: each.callbacks ?? [], requests: each.requests });
      expect(service.lastedMs).toBeGreaterThanOrEqual(each.waitsMs ?? 0);
    } finally {
      await service.stop();
    }
  });
}
