import fs from 'node:fs';
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { onBreakdown } from '../../local/breakdown';
import { serverCertificate } from '../../local/certificate-authority';
import { followAddress } from '../../local/changed-address';
import { openDataFile } from '../../local/data-file';
import { prepareDatabase } from '../../local/dynamodb/database-file';
import { openPositions } from '../../local/event-source/positions';
import { openRetainedMessages } from '../../local/iot/retained';
import { openJournal } from '../../local/journal';
import { appendAtOnce, appendTo } from '../../local/log-file';
import { writePartners, writeStackFiles } from '../../local/stack-file';

const access = { endpointUrl: '', region: '', stackName: '', accessKeyId: '', secretAccessKey: '', sessionToken: '' };
const facts = {
  baseUrl: 'http://127.0.0.1:1',
  wsUrl: null,
  mqttUrl: null,
  shareBaseUrl: null,
  caFile: '',
  partners: [],
};
const position = { shardId: 'shard', sequenceNumber: '1' };
const retainedOnes = { topic: 'a', payload: Buffer.from('kept'), qos: 1 } as const;

describe('On a full disk', () => {
  let folder: string;
  const told: string[] = [];
  beforeAll(() => onBreakdown(({ message }) => told.push(message)));
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'full-disk-'));
    told.length = 0;
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
    // Of its forms, the one that is used.
    jest
      .spyOn(fs, 'appendFile')
      .mockImplementation(((_path: string, _data: string, _how: object, done: (error: Error) => void) =>
        done(noSpace())) as unknown as typeof fs.appendFile);
  };
  const oneLine = (file: string) => `${join(folder, file)}: no space left on the device; free some and start again`;

  it.each<[what: string, file: string, write: () => unknown]>([
    ['a data file', 'data.json', () => openDataFile(join(folder, 'data.json'), z.string(), '').write('new')],
    ['the stack files', 'aws.json', () => writeStackFiles(folder, facts, access)],
    ['the demo partners', 'partners.json', () => writePartners(folder, [])],
    ['the new database', 'dynamodb.sqlite', () => prepareDatabase(join(folder, 'dynamodb.sqlite'))],
    ['the certificates', 'server-key.pem', () => serverCertificate(folder)],
    ['the address', 'base-url', () => followAddress(folder, facts.baseUrl)],
  ])('%s ends the stack in one line that names file and remedy', async (_, file, write) => {
    fillDisk();
    await expect(Promise.resolve().then(write)).rejects.toThrow(oneLine(file));
    expect(told).toEqual([oneLine(file)]);
  });

  it('positions in streams, which are written in the background, end the stack in that line', () => {
    const positions = openPositions(folder);
    positions.note('mapping', 'stream', position);
    fillDisk();
    expect(() => positions.flush()).toThrow(oneLine('event-sources.json'));
    expect(told).toHaveLength(1);
  });

  it.each([
    ['later', (file: string) => appendTo(file)('lost')],
    ['at once', (file: string) => appendAtOnce(file, 'lost')],
  ])('a log that is written %s fails nobody, and ends the stack in that line', (_, log) => {
    fillDisk();
    log(join(folder, 'functions.log'));
    expect(told).toEqual([oneLine('functions.log')]);
  });

  it('a journal keeps what was acknowledged, and nothing of what was not', () => {
    const path = join(folder, 'things.journal');
    const open = () => openJournal({ path, schema: z.string(), remedy: 'delete the line' });
    const journal = open();
    journal.append('acknowledged');
    // What fits of a line is written before there is no space.
    const write = fs.writeSync;
    jest
      .spyOn(fs, 'writeSync')
      .mockImplementationOnce(((file: number, line: Buffer) =>
        write(file, line.subarray(0, 5))) as typeof fs.writeSync);
    expect(() => journal.append('refused')).toThrow(oneLine('things.journal'));
    journal.append('after there was space again');
    journal.close();
    const again = open();
    expect(again.entries).toEqual(['acknowledged', 'after there was space again']);
    again.close();
  });

  it('what a data file could not keep does not hold, and comes back with no later change', async () => {
    const file = openDataFile(join(folder, 'data.json'), z.array(z.string()), []);
    file.write(['kept']);
    fillDisk();
    expect(() => file.write(['kept', 'refused'])).toThrow(oneLine('data.json'));
    expect(file.read()).toEqual(['kept']);
    expect(JSON.parse(await readFile(join(folder, 'data.json'), 'utf8'))).toEqual(['kept']);
  });

  it('a retained message that could not be kept is not retained', () => {
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

describe('A file that was cut off', () => {
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

  it('within its last line, which nobody was told of, goes on without it and says so once', async () => {
    keepTwo();
    await appendFile(retainedFile(), '{"topic":"c","payl');
    expect(topics()).toEqual(['a', 'b']);
    expect(warned.mock.calls).toEqual([
      [`${retainedFile()}: its last line was cut off and is left out; nobody had been told that it was kept`],
    ]);
    expect(topics()).toEqual(['a', 'b']);
    expect(warned).toHaveBeenCalledTimes(1);
  });

  it('in its middle is refused in one line that names file, line and remedy', async () => {
    keepTwo();
    const lines = (await readFile(retainedFile(), 'utf8')).split('\n');
    await writeFile(retainedFile(), [lines[0], lines[1]?.slice(0, 9), lines[1], ''].join('\n'));
    expect(topics).toThrow(
      `${retainedFile()}, line 2 can't be read: delete the line, and its message is retained no more`,
    );
  });

  it.each([
    ['that is no JSON from some line on', '{\n  "name": "kept",\n  "na', ', line 3'],
    ['that is empty', '', ', line 1'],
    ['of another shape', '{"name":7}', ' (name)'],
  ])('%s is refused in one line that names file, place and remedy', async (_, content, where) => {
    const path = join(folder, 'data.json');
    await writeFile(path, content);
    expect(() => openDataFile(path, z.object({ name: z.string() }), { name: '' })).toThrow(
      `${path}${where} can't be read: put back a copy of it, or remove ${folder} to start afresh`,
    );
  });

  it('makes new certificates', async () => {
    const { caFile } = await serverCertificate(folder);
    const before = await readFile(caFile, 'utf8');
    await writeFile(join(folder, 'server.pem'), (await readFile(join(folder, 'server.pem'))).subarray(0, 60));
    await serverCertificate(folder);
    expect(await readFile(caFile, 'utf8')).not.toBe(before);
  });
});
