import { runCommand } from '../../outsiders/command';
import { clientCases } from './cases';
import { prepare, type Program } from './programs';
import { startScriptedService } from './scripted-service';

/** Lines that a callback has printed. */
const CALLBACK = /^(lost$|gap |command .* )/;

/** Goes through all cases with the client of a language. */
export function passesCases(language: keyof typeof prepare): void {
  let program: Program;
  beforeAll(async () => {
    program = await prepare[language]();
  });

  test.each(clientCases.map((each) => [each.title, each] as const))('%s', async (_, each) => {
    const service = await startScriptedService(each);
    try {
      const { baseUrl, wsUrl } = service;
      const env = { ...program.env, BASE_URL: baseUrl, WS_URL: wsUrl, ...each.variables };
      const { stdout } = await runCommand(program.command, [...program.args, each.call], { env, timeoutMs: 60_000 });
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
