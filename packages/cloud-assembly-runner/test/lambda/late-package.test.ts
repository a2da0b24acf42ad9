import { mkdtempSync, renameSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLambda } from '../../lambda';
import { accountId, functionOf, region } from './inline-functions';

describe('A function whose code the assembly lacks', () => {
  const folders: string[] = [];
  afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true })));

  /** A function `late` whose code is elsewhere; `complete` is what the builder reports. */
  async function start(isCompletedLater = true) {
    const assemblyFolder = mkdtempSync(join(tmpdir(), 'late-package-'));
    folders.push(assemblyFolder);
    let complete: (isComplete: boolean) => void = () => undefined;
    const completed = new Promise<boolean>((resolve) => (complete = resolve));
    const lambda = createLambda({
      region,
      accountId,
      assemblyFolder,
      logFile: join(assemblyFolder, 'functions.log'),
      endpointUrl: 'http://127.0.0.1:9',
      credentialsOf: () => ({ accessKeyId: 'key', secretAccessKey: 'secret' }),
      ...(isCompletedLater && { completed }),
    });
    const code = join(assemblyFolder, 'late');
    const built = join(assemblyFolder, 'built');
    const create = (name: string, isThere: boolean) => {
      const resource = functionOf(assemblyFolder, name, `exports.handler = async () => '${name}'`);
      if (!isThere) renameSync(code, built);
      return lambda.create(resource);
    };
    await create('early', true);
    await create('late', false);
    await lambda.start?.();
    return { lambda, complete, built, build: () => renameSync(built, code) };
  }

  test('is refused where nobody builds it', async () => {
    await expect(start(false)).rejects.toThrow('ENOENT');
  });

  test('lets calls wait until it is there, while others are answered', async () => {
    const { lambda, build } = await start();
    const calls = [lambda.invoke('late', {}), lambda.invoke('late', {})];
    expect(await lambda.invoke('early', {})).toBe('early');
    build();
    expect(await Promise.all(calls)).toEqual(['late', 'late']);
    expect(await lambda.invoke('late', {})).toBe('late');
    await lambda.stop?.();
  });

  test.each([
    ['could not be built', false],
    ['was not built', true],
  ])('fails its calls when the code %s', async (_, isComplete) => {
    const { lambda, complete } = await start();
    const call = lambda.invoke('late', {});
    complete(isComplete);
    await expect(call).rejects.toMatchObject({ type: 'Runtime.ImportModuleError' });
    await lambda.stop?.();
  });

  test('fails its calls when the stack stops, which does not wait for it', async () => {
    const { lambda } = await start();
    const call = lambda.invoke('late', {});
    await Promise.all([lambda.stop?.(), expect(call).rejects.toMatchObject({ type: 'Runtime.ImportModuleError' })]);
  });

  test('fails its calls when the code is larger than Lambda allows', async () => {
    const { lambda, built, build } = await start();
    truncateSync(join(built, 'index.js'), 250 * 1024 * 1024 + 1);
    build();
    await expect(lambda.invoke('late', {})).rejects.toThrow('late: the code has 262144001 bytes');
    await lambda.stop?.();
  });
});
