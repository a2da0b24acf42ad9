import fs, { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { onFatalError } from '../../stack/fatal-error';
import { serverCertificate } from '../../stack/certificate-authority';
import { migrateScopes } from '../../cognito/app-clients';
import { openDataFile } from '../../data-folder/atomic-file';
import { prepareDatabase } from '../../dynamodb/engine';
import { openPositions } from '../../event-source/stream-source';
import { openRetainedMessages } from '../../iot/broker/retained';
import { openJournal } from '../../data-folder/journal';
import { appendSync, appendTo } from '../../data-folder/log-file';
import { writeStackFiles } from '../../stack/stack-file';
import { openObjectStore } from '../../s3/objects';
import { openConnectionLog } from '../../data-folder/connection-log';

const access = { endpointUrl: '', region: '', stackName: '', accessKeyId: '', secretAccessKey: '', sessionToken: '' };
const facts = { baseUrl: 'http://127.0.0.1:1', mqttUrl: null, caFile: '' };
const position = { shardId: 'shard', sequenceNumber: '1' };
const retainedOnes = { topic: 'a', payload: Buffer.from('kept'), qos: 1 } as const;

describe('On a full disk', () => {
  let folder: string;
  const breakdowns: string[] = [];
  beforeAll(() => onFatalError(({ message }) => breakdowns.push(message)));
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'full-disk-'));
    breakdowns.length = 0;
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await rm(folder, { recursive: true });
  });

  const noSpace = () => Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  const fillDisk = () => {
    for (const name of ['writeFileSync', 'writeSync', 'appendFileSync'] as const) {
      jest.spyOn(fs, name).mockImplementation(() => {
        throw noSpace();
      });
    }
    // The overload that is used.
    jest
      .spyOn(fs, 'appendFile')
      .mockImplementation(((_path: string, _data: string, _how: object, done: (error: Error) => void) =>
        done(noSpace())) as unknown as typeof fs.appendFile);
  };
  const hashOfKey = 'ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb';
  const noMetadata = { headers: {}, checksums: {} };
  const oneLine = (file: string) => `${join(folder, file)}: no space left on the device; free some and start again`;

  test.each<[what: string, file: string, write: () => unknown]>([
    ['a data file', 'data.json', () => openDataFile(join(folder, 'data.json'), z.string(), '').write('new')],
    ['the stack files', 'aws.json', () => writeStackFiles(folder, facts, access)],
    ['a new database', 'dynamodb.sqlite', () => prepareDatabase(join(folder, 'dynamodb.sqlite'))],
    ['the certificates', 'server-key.pem', () => serverCertificate(folder)],
    ['the base URL', 'base-url', () => migrateScopes(folder, facts.baseUrl)],
    ['an object of a bucket', hashOfKey, () => openObjectStore(folder).put('a', noMetadata, Buffer.from('x'))],
  ])('writing %s ends the stack in one line with file and remedy', async (_, file, write) => {
    fillDisk();
    await expect(Promise.resolve().then(write)).rejects.toThrow(oneLine(file));
    expect(breakdowns).toEqual([oneLine(file)]);
  });

  test('writing stream positions in the background ends the stack in that line', () => {
    const positions = openPositions(folder);
    positions.set('mapping', 'stream', position);
    fillDisk();
    expect(() => positions.flush()).toThrow(oneLine('event-sources.json'));
    expect(breakdowns).toHaveLength(1);
  });

  test.each([
    ['later', (file: string) => appendTo(file)('lost')],
    ['synchronously', (file: string) => appendSync(file, 'lost')],
  ])('a log written %s does not fail, and ends the stack in that line', (_, log) => {
    fillDisk();
    log(join(folder, 'functions.log'));
    expect(breakdowns).toEqual([oneLine('functions.log')]);
  });

  test('a journal keeps acknowledged entries only', () => {
    const path = join(folder, 'things.journal');
    const open = () => openJournal({ path, schema: z.string(), remedy: 'delete the line' });
    const journal = open();
    journal.append('acknowledged');
    // The part of a line that fits is written.
    const write = fs.writeSync;
    jest
      .spyOn(fs, 'writeSync')
      .mockImplementationOnce(((file: number, line: Buffer) =>
        write(file, line.subarray(0, 5))) as typeof fs.writeSync);
    expect(() => journal.append('refused')).toThrow(oneLine('things.journal'));
    journal.append('after freeing space');
    journal.close();
    const again = open();
    expect(again.entries).toEqual(['acknowledged', 'after freeing space']);
    again.close();
  });

  test('a data file keeps its last written value', async () => {
    const file = openDataFile(join(folder, 'data.json'), z.array(z.string()), []);
    file.write(['kept']);
    fillDisk();
    expect(() => file.write(['kept', 'refused'])).toThrow(oneLine('data.json'));
    expect(file.read()).toEqual(['kept']);
    expect(JSON.parse(await readFile(join(folder, 'data.json'), 'utf8'))).toEqual(['kept']);
  });

  test("a retained message that can't be stored is not retained", () => {
    const messages = openRetainedMessages(folder);
    messages.put(retainedOnes);
    fillDisk();
    expect(() => messages.put({ ...retainedOnes, payload: Buffer.from('refused') })).toThrow(
      oneLine('retained-messages.jsonl'),
    );
    expect(messages.get('a')?.payload.toString()).toBe('kept');
    messages.close();
  });
});

describe('A damaged file', () => {
  let folder: string;
  let warned: jest.SpyInstance;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'torn-'));
    warned = jest.spyOn(console, 'warn').mockImplementation(() => undefined);
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await rm(folder, { recursive: true });
  });
  const retainedFile = () => join(folder, 'retained-messages.jsonl');
  const keepTwo = () => {
    const messages = openRetainedMessages(folder);
    for (const topic of ['a', 'b']) messages.put({ ...retainedOnes, topic });
    messages.close();
  };
  const topics = () => {
    const messages = openRetainedMessages(folder);
    messages.close();
    return messages.list().map(({ topic }) => topic);
  };

  test('drops an incomplete last line, with one warning', async () => {
    keepTwo();
    await appendFile(retainedFile(), '{"topic":"c","payl');
    expect(topics()).toEqual(['a', 'b']);
    expect(warned.mock.calls).toEqual([
      [`${retainedFile()}: the last line was incomplete and is dropped; it had not been acknowledged`],
    ]);
    expect(topics()).toEqual(['a', 'b']);
    expect(warned).toHaveBeenCalledTimes(1);
  });

  test('refuses an invalid line in one line with file, line and remedy', async () => {
    keepTwo();
    const lines = (await readFile(retainedFile(), 'utf8')).split('\n');
    await writeFile(retainedFile(), [lines[0], lines[1]?.slice(0, 9), lines[1], ''].join('\n'));
    expect(topics).toThrow(
      `${retainedFile()}, line 2 can't be read: delete the line, which deletes its retained message`,
    );
  });

  test.each([
    ['incomplete JSON', '{\n  "name": "kept",\n  "na', ', line 3'],
    ['an empty file', '', ', line 1'],
    ['another shape', '{"name":7}', ' (name)'],
  ])('refuses %s in one line with file, place and remedy', async (_, content, where) => {
    const path = join(folder, 'data.json');
    await writeFile(path, content);
    expect(() => openDataFile(path, z.object({ name: z.string() }), { name: '' })).toThrow(
      `${path}${where} can't be read: put back a copy of it, or remove ${folder} to start afresh`,
    );
  });

  test('recreates certificates', async () => {
    const { caFile } = await serverCertificate(folder);
    const before = await readFile(caFile, 'utf8');
    await writeFile(join(folder, 'server.pem'), (await readFile(join(folder, 'server.pem'))).subarray(0, 60));
    await serverCertificate(folder);
    expect(await readFile(caFile, 'utf8')).not.toBe(before);
  });
});

describe('Connection log', () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'connection-log-test-'));
    file = join(folder, 'open.jsonl');
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const open = () => openConnectionLog(file, z.string());

  test('reports connections of the previous process until they are closed', () => {
    const first = open();
    first.opened('1', 'one');
    first.opened('2', 'two');
    first.opened('3', 'three');
    first.closed('2');
    const second = open();
    expect(second.unclosed).toEqual(['one', 'three']);
    second.closed('1');
    expect(open().unclosed).toEqual(['three']);
  });

  test('ignores connections opened or closed after the end', () => {
    const only = open();
    only.opened('1', 'one');
    only.end();
    only.closed('1');
    only.opened('2', 'two');
    expect(open().unclosed).toEqual(['one']);
  });

  test('stays small when many connections come and go', () => {
    const busy = open();
    busy.opened('stays', 'here');
    for (let index = 0; index < 5000; index++) {
      busy.opened(`${index}`, 'guest');
      busy.closed(`${index}`);
    }
    expect(readFileSync(file, 'utf8').split('\n').length).toBeLessThan(2010);
    expect(open().unclosed).toEqual(['here']);
  });
});
