import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startFunctions, type InlineFunctions } from '../inline-functions';

/** Source of a function that runs the code in its event, with its own folder and a writable one. */
const source = `const fs = require('node:fs'); const path = require('node:path');
  const AsyncFunction = (async () => {}).constructor;
  exports.handler = async ({ code, folder }) => {
    const named = { fs, promises: require('fs/promises'), imported: await import('node:fs'), stream: require('node:stream/promises') };
    try {
      const value = await new AsyncFunction(...Object.keys(named), 'own', 'path', 'folder', code)(...Object.values(named), __dirname, path, folder);
      return { value: value ?? null };
    } catch ({ code, errno, syscall, message, path: where }) {
      return { code, errno, syscall, message, where };
    }
  };`;

describe('The file system of a function', () => {
  let functions: InlineFunctions;
  let folder: string;
  beforeAll(async () => {
    functions = await startFunctions({ writer: source });
    folder = mkdtempSync(join(tmpdir(), 'function-writes-'));
  });
  afterAll(async () => {
    await functions.remove();
    rmSync(folder, { recursive: true });
  });
  const run = (code: string) => functions.lambda.invoke('writer', { code, folder });

  test.each([
    ['writeFileSync', "fs.writeFileSync(own + '/new', 'a')", 'open'],
    ['an imported writeFileSync', "imported.writeFileSync(own + '/new', 'a')", 'open'],
    ['writeFile with a callback', "await new Promise((_, no) => fs.writeFile(own + '/new', 'a', no))", 'open'],
    ['writeFile of fs/promises', "await promises.writeFile(own + '/new', 'a')", 'open'],
    ['appendFile', "await promises.appendFile(own + '/index.js', 'a')", 'open'],
    ['open for writing', "fs.openSync(own + '/index.js', 'r+')", 'open'],
    ['open with flags', "await promises.open(own + '/new', fs.constants.O_CREAT | fs.constants.O_WRONLY)", 'open'],
    ['a stream', "await stream.finished(fs.createWriteStream(own + '/new'))", 'open'],
    ['mkdir', "fs.mkdirSync(own + '/a/b', { recursive: true })", 'mkdir'],
    ['mkdtemp', "await promises.mkdtemp(own + '/a')", 'mkdtemp'],
    ['rename', "fs.renameSync(own + '/index.js', folder + '/a')", 'rename'],
    ['rename to it', "fs.writeFileSync(folder + '/b', ''); fs.renameSync(folder + '/b', own + '/b')", 'rename'],
    ['copyFile', "await promises.copyFile(own + '/index.js', own + '/copy.js')", 'copyFile'],
    ['unlink', "fs.unlinkSync(own + '/index.js')", 'unlink'],
    ['rm', 'await promises.rm(own, { recursive: true })', 'rm'],
    ['symlink', "fs.symlinkSync('/tmp', own + '/link')", 'symlink'],
    ['utimes', "fs.utimesSync(own + '/index.js', 1, 1)", 'utimes'],
    [
      'a link that leads there',
      "fs.symlinkSync(own, folder + '/link'); fs.writeFileSync(folder + '/link/new', 'a')",
      'open',
    ],
    ['a path without a folder', "fs.writeFileSync('new', 'a')", 'open'],
    ['any other place', "fs.writeFileSync('/opt/new', 'a')", 'open'],
    ['a URL', "fs.writeFileSync(new URL('file:///var/new'), 'a')", 'open'],
  ])('is read-only for %s', async (_what, code, syscall) => {
    const answer = await run(code);
    expect(answer).toMatchObject({ code: 'EROFS', errno: -30, syscall });
    expect(answer).toHaveProperty('message', expect.stringMatching(`^EROFS: read-only file system, ${syscall} '`));
    expect(existsSync(join(functions.folder, 'writer', 'new'))).toBe(false);
    expect(readFileSync(join(functions.folder, 'writer', 'index.js'), 'utf8')).toBe(source);
  });

  test.each([
    [
      'writing below /tmp',
      "fs.writeFileSync(folder + '/c', 'a'); await promises.appendFile(folder + '/c', 'b'); return fs.readFileSync(folder + '/c', 'utf8')",
      'ab',
    ],
    [
      'reading its own code',
      "return fs.readFileSync(own + '/index.js').length > 0 && fs.openSync(own + '/index.js') > 0",
      true,
    ],
    ['creating an existing folder', 'fs.mkdirSync(own, { recursive: true }); return true', true],
    [
      'writing to a descriptor',
      "const file = fs.openSync(folder + '/d', 'w'); fs.writeFileSync(file, 'a'); return true",
      true,
    ],
    ['writing to /dev/null', "fs.writeFileSync('/dev/null', 'a'); return true", true],
    ['removing a missing file', "await promises.rm(own + '/none', { force: true }); return true", true],
  ])('allows %s', async (_what, code, value) => {
    expect(await run(code)).toEqual({ value });
  });

  test('fails with ENOENT for a missing file', async () => {
    expect(await run("fs.unlinkSync(own + '/none')")).toMatchObject({ code: 'ENOENT' });
  });
});
